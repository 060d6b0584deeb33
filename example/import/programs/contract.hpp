// A sample contract, so that the programs of this folder compile as they are.
#ifndef IMPORT_PROGRAMS_CONTRACT_HPP
#define IMPORT_PROGRAMS_CONTRACT_HPP

#include "soapsvc.hpp"

namespace contract {

struct Greet {
  std::string name;
};

class Greeter {
public:
  std::string greet(const Greet& request);
};

}  // namespace contract

template <>
inline constexpr auto soapsvc::schema<contract::Greet> =
    record(field("Name", &contract::Greet::name));
template <>
inline constexpr auto soapsvc::schema<contract::Greeter> = service(
    "Greeter",
    ns("urn:greeter"),
    path("/greeter"),
    operation("Greet", &contract::Greeter::greet, request("Greet")));

#endif
