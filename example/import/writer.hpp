// The text of what is written: the header, and a program that serves it at once.
#ifndef IMPORT_WRITER_HPP
#define IMPORT_WRITER_HPP

#include <string>
#include <vector>

#include "order.hpp"
#include "units.hpp"

namespace importer {

/// What is written of the tables.
struct Selection {
  std::string name_space;
  std::string sources;  ///< what it was made from, for the first line
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

/// A program in which every operation answers a fault that says what is to be written.
std::string skeleton_text(const Selection& what, const std::string& header);

/// A program that calls each operation, its request taken from a file.
std::string client_text(const Selection& what, const std::string& header);

/// A namespace's name that hides nothing of the library's and, outermost, is no name of C.
std::string namespace_name(const std::string& from, bool is_outermost = true);

/// The same of at most 16 characters: it stands in each row of a table.
std::string short_namespace_name(const std::string& from);

}  // namespace importer

#endif
