// The common part of file system layers for SQLite. A layer passes the operations that it does not
// change to the default layer, so reading, locking and shared memory are real.
#pragma once

#include <sqlite3.h>

#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace vfs_layer {

/// An open file of the layer `Self`. SQLite allocates it, and the real file follows after it.
template <class Self> struct OpenFile {
  sqlite3_file base{};

  static Self& of(sqlite3_file* file) { return *reinterpret_cast<Self*>(file); }
  static sqlite3_file* real(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(Self));
  }
};

/// The methods of an open file, all passed on. A layer derives from this class and redefines the
/// methods that it changes.
template <class File> struct Methods {
  static const sqlite3_io_methods* real(sqlite3_file* file) { return File::real(file)->pMethods; }

  static int close(sqlite3_file* file) {
    const int result = real(file)->xClose(File::real(file));
    File::of(file).~File();
    return result;
  }
  static int read(sqlite3_file* file, void* to, int count, sqlite3_int64 offset) {
    return real(file)->xRead(File::real(file), to, count, offset);
  }
  static int size(sqlite3_file* file, sqlite3_int64* bytes) {
    return real(file)->xFileSize(File::real(file), bytes);
  }
  static int lock(sqlite3_file* file, int level) {
    return real(file)->xLock(File::real(file), level);
  }
  static int unlock(sqlite3_file* file, int level) {
    return real(file)->xUnlock(File::real(file), level);
  }
  static int reserved(sqlite3_file* file, int* result) {
    return real(file)->xCheckReservedLock(File::real(file), result);
  }
  static int control(sqlite3_file* file, int operation, void* argument) {
    return real(file)->xFileControl(File::real(file), operation, argument);
  }
  static int sector_size(sqlite3_file* file) { return real(file)->xSectorSize(File::real(file)); }
  static int characteristics(sqlite3_file* file) {
    return real(file)->xDeviceCharacteristics(File::real(file));
  }
  static int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** at) {
    return real(file)->xShmMap(File::real(file), page, size, extend, at);
  }
  static int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
    return real(file)->xShmLock(File::real(file), offset, count, flags);
  }
  static void shm_barrier(sqlite3_file* file) { real(file)->xShmBarrier(File::real(file)); }
  static int shm_unmap(sqlite3_file* file, int remove) {
    return real(file)->xShmUnmap(File::real(file), remove);
  }
};

/// The table of a layer's methods. Version 2: memory-mapped reading would go past the layer.
template <class Own>
inline constexpr sqlite3_io_methods table{
    2,
    Own::close,
    Own::read,
    Own::write,
    Own::truncate,
    Own::sync,
    Own::size,
    Own::lock,
    Own::unlock,
    Own::reserved,
    Own::control,
    Own::sector_size,
    Own::characteristics,
    Own::shm_map,
    Own::shm_lock,
    Own::shm_barrier,
    Own::shm_unmap,
    nullptr,
    nullptr};

/// A registered layer. A class derives from it and opens its files by `open_real`.
class Layer {
public:
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  const std::string& name() const { return name_; }

protected:
  /// `self` is the object that `of` returns to the functions that SQLite calls.
  Layer(std::string name, void* self, std::size_t file_size)
      : name_(std::move(name)), real_(sqlite3_vfs_find(nullptr)) {
    vfs_ = *real_;
    vfs_.szOsFile = static_cast<int>(file_size) + real_->szOsFile;
    vfs_.zName = name_.c_str();
    vfs_.pAppData = self;
    vfs_.pNext = nullptr;
  }
  ~Layer() { sqlite3_vfs_unregister(&vfs_); }

  /// Call it after the derived class has set its functions in `vfs_`.
  void enter() {
    if (sqlite3_vfs_register(&vfs_, 0) != SQLITE_OK) throw std::runtime_error("cannot register");
  }

  /// Opens the real file after the layer's file; on an error both are closed.
  template <class File> int open_real(const char* path, sqlite3_file* file, int flags, int* out) {
    auto* const made = new (file) File;
    sqlite3_file* const real = File::real(file);
    std::memset(real, 0, static_cast<std::size_t>(real_->szOsFile));
    const int result = real_->xOpen(real_, path, real, flags, out);
    if (result != SQLITE_OK) {
      made->~File();
      file->pMethods = nullptr;
    }
    return result;
  }

  std::string name_;
  sqlite3_vfs* real_;
  sqlite3_vfs vfs_{};
};

}  // namespace vfs_layer
