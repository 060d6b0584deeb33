// The texts of the header, and of the programs that serve it or call it.
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
  /// Whether the methods are pure virtual, so that programs that only call link without them.
  bool is_virtual = false;
  std::vector<std::pair<const Class*, std::vector<const Method*>>> classes;
  std::vector<const Method*> methods() const;
};

/// A type as C++ writes it.
std::string cpp_text(const CppType& type);

std::string header_text(const Tables& tables, const Selection& what);

/// A file that is written, by its name without a folder.
struct Written {
  std::string name;
  std::string text;
};

/// A large contract in pieces: NAME.hpp includes NAME_1.hpp, NAME_2.hpp and so on, which have the
/// structs; the tables of each are in the unit beside it, NAME_1.cpp.
std::vector<Written> split_texts(
    const Tables& tables, const Selection& what, const Units& units, const std::string& header);

/// A program in which every operation returns a fault that says which function to write.
std::string skeleton_text(const Selection& what, const std::string& header);

/// A program that calls each operation, its request taken from a file.
std::string client_text(const Selection& what, const std::string& header);

/// A namespace's name that hides nothing of the library's and, outermost, is no name of C.
std::string namespace_name(const std::string& from, bool is_outermost = true);

/// The same of at most 16 characters: it stands in each row of a table.
std::string short_namespace_name(const std::string& from);

}  // namespace importer

#endif
