// A number has no element of its own; only a struct has a name.
// expect: soapsvc: request and header of a method, the detail of a fault, and the values of read_xml, write_xml and to_text, are structs with a table
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

int main() { return soapsvc::read_xml<std::int32_t>("<Count>1</Count>"); }
