// The main() of every test executable. Catch2 2 compiles its runner only here.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
