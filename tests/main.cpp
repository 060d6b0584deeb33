// The main() of every test executable. Catch2 2 compiles its runner here, once, and nowhere else.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
