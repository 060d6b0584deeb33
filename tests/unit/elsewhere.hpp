// Structs whose tables are in two_units_b.cpp; two_units_a.cpp sees only their declarations.
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

template <> inline constexpr auto soapsvc::schema<Stop> = extern_schema<Stop>("Stop");
template <> soapsvc::table<Stop> soapsvc::define_schema<Stop>();

template <> inline constexpr auto soapsvc::schema<Journey> = extern_schema<Journey>();
template <> soapsvc::table<Journey> soapsvc::define_schema<Journey>();

template <> inline constexpr auto soapsvc::schema<Misnamed> = extern_schema<Misnamed>("Misnamed");
template <> soapsvc::table<Misnamed> soapsvc::define_schema<Misnamed>();
