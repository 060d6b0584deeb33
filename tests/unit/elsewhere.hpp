// Structs whose tables are in two_units_b.cpp: two_units_a.cpp sees what stands for them alone.
#pragma once

#include "soapsvc.hpp"

struct Stop {
    std::string name;
    std::vector<Stop> next;
};
struct Journey {
    std::optional<Stop> from;
    std::vector<Stop> by;
};
struct Misnamed {
    std::int32_t number{};
};

template <>
inline constexpr auto soapsvc::schema<Stop> = elsewhere<Stop>("Stop");
template <>
soapsvc::table<Stop> soapsvc::table_of<Stop>();

template <>
inline constexpr auto soapsvc::schema<Journey> = elsewhere<Journey>();
template <>
soapsvc::table<Journey> soapsvc::table_of<Journey>();

template <>
inline constexpr auto soapsvc::schema<Misnamed> = elsewhere<Misnamed>("Misnamed");
template <>
soapsvc::table<Misnamed> soapsvc::table_of<Misnamed>();
