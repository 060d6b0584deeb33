// The texts of the header, and of the programs that serve or call it.
#ifndef IMPORT_WRITER_HPP
#define IMPORT_WRITER_HPP

#include <string>
#include <vector>

#include "order.hpp"
#include "units.hpp"

namespace importer {

/// The classes and methods that are written.
struct Selection {
  std::string name_space;
  std::string sources;  ///< the inputs, for the first line
  bool has_units = false;  ///< the tables are in units of their own
  /// True if the methods are pure virtual, so that client programs link without them.
  bool is_virtual = false;
  std::vector<std::pair<const Class*, std::vector<const Method*>>> classes;
  std::vector<const Method*> methods() const;
};

/// A type as C++ code.
std::string cpp_text(const CppType& type);

std::string header_text(const Tables& tables, const Selection& what);

/// An output file, by its name without a folder.
struct Written {
  std::string name;
  std::string text;
};

/// A large contract in units: NAME.hpp includes NAME_1.hpp, NAME_2.hpp and so on, which have the
/// structs. The tables of each unit are in its source file, NAME_1.cpp.
std::vector<Written> split_texts(
    const Tables& tables, const Selection& what, const Units& units, const std::string& header);

/// A program in which every operation returns a fault that names the function to write.
std::string skeleton_text(const Selection& what, const std::string& header);

/// A program that can call each operation with a request from a file.
std::string client_text(const Selection& what, const std::string& header);

/// A name for a namespace that hides no name of the library. If `is_outermost`, it is also not a
/// name of C.
std::string namespace_name(const std::string& from, bool is_outermost = true);

/// The same with at most 16 characters, because each row of a table has it.
std::string short_namespace_name(const std::string& from);

}  // namespace importer

#endif
