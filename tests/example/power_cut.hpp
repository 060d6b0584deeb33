// A file system layer for SQLite on which the power can fail. All writes that were not synced are
// then lost, and all changes to the entries of a folder that was not synced.
//
// Files are in the default layer, so that reading, locking and shared memory are real. For each
// file, this layer keeps the state of the disk if the power failed now: the bytes of the last
// xSync, and the names of the last sync of the folder. SQLite syncs the folder when it deletes a
// journal with the sync flag, and at the first xSync of a journal or log that it may have created.
// The default layer does this internally, so this layer repeats its rule.
#pragma once

#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "vfs_layer.hpp"

namespace power_cut {

/// The part of unsynced writes that survives: a disk may have written some of them, in any order.
enum class Leftovers { none, some };

/// One write or truncation that is not on disk yet.
struct Change {
  sqlite3_int64 offset = 0;
  std::vector<char> bytes;
  bool truncates = false;
};

/// A file on the disk, and its writes that are not on the disk yet.
struct Inode {
  std::vector<char> durable;
  std::vector<Change> pending;

  static void apply(std::vector<char>& bytes, const Change& change) {
    const auto offset = static_cast<std::size_t>(change.offset);
    if (change.truncates) {
      bytes.resize(offset);
      return;
    }
    bytes.resize(std::max(bytes.size(), offset + change.bytes.size()));
    std::copy(change.bytes.begin(), change.bytes.end(), bytes.begin() + change.offset);
  }
  void sync() {
    for (const Change& change : pending)
      apply(durable, change);
    pending.clear();
  }
};

using Names = std::map<std::string, std::shared_ptr<Inode>>;

/// The layer. Register it under a name, open databases with that name, cut the power, and check the
/// remaining files. For one folder at a time.
class Disk : public vfs_layer::Layer {
public:
  explicit Disk(std::string name);

  /// The number of syncs so far.
  std::size_t syncs() {
    const std::lock_guard lock(mutex_);
    return syncs_;
  }

  /// The content of the disk if the power fails now: file name (without folder) and bytes.
  std::map<std::string, std::vector<char>> cut(Leftovers leftovers, unsigned seed) {
    const std::lock_guard lock(mutex_);
    std::mt19937 random(seed);
    std::map<std::string, std::vector<char>> left;
    for (const auto& [path, inode] : durable_names_) {
      std::vector<char> bytes = inode->durable;
      for (const Change& change : inode->pending)
        if (leftovers == Leftovers::some && random() % 2 == 0) Inode::apply(bytes, change);
      left[std::filesystem::path(path).filename().string()] = std::move(bytes);
    }
    return left;
  }

private:
  struct File;
  struct Methods;

  static Disk& of(sqlite3_vfs* vfs) { return *static_cast<Disk*>(vfs->pAppData); }

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out);
  static int remove(sqlite3_vfs* vfs, const char* path, int sync_folder);
  static int access(sqlite3_vfs* vfs, const char* path, int flags, int* result);

  std::mutex mutex_;
  Names names_;  ///< the names that programs see
  Names durable_names_;  ///< the names on the disk
  std::size_t syncs_ = 0;
};

struct Disk::File : vfs_layer::OpenFile<File> {
  Disk* disk = nullptr;
  std::shared_ptr<Inode> inode;  ///< empty for temporary files, which need not survive
  bool sync_folder_too = false;
};

/// The methods of an open file. Changes are recorded; everything else goes to the real file.
struct Disk::Methods : vfs_layer::Methods<File> {
  static void note(sqlite3_file* file, Change change) {
    File& self = File::of(file);
    if (!self.inode) return;
    const std::lock_guard lock(self.disk->mutex_);
    self.inode->pending.push_back(std::move(change));
  }

  static int write(sqlite3_file* file, const void* from, int count, sqlite3_int64 offset) {
    const auto* bytes = static_cast<const char*>(from);
    note(file, {offset, std::vector<char>(bytes, bytes + count), false});
    return real(file)->xWrite(File::real(file), from, count, offset);
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    note(file, {size, {}, true});
    return real(file)->xTruncate(File::real(file), size);
  }
  /// The real file is not synced: the test's machine does not lose its power.
  static int sync(sqlite3_file* file, int) {
    File& self = File::of(file);
    const std::lock_guard lock(self.disk->mutex_);
    ++self.disk->syncs_;
    if (self.inode) self.inode->sync();
    if (self.sync_folder_too) self.disk->durable_names_ = self.disk->names_;
    self.sync_folder_too = false;
    return SQLITE_OK;
  }
  /// Hints such as "the file will grow" would change the file without this layer.
  static int control(sqlite3_file* file, int operation, void* argument) {
    if (operation == SQLITE_FCNTL_SIZE_HINT || operation == SQLITE_FCNTL_CHUNK_SIZE)
      return SQLITE_OK;
    return vfs_layer::Methods<File>::control(file, operation, argument);
  }
  /// No guarantees: this disk may lose any write, so it has no order either.
  static int characteristics(sqlite3_file*) { return 0; }
};

inline Disk::Disk(std::string name) : Layer(std::move(name), this, sizeof(File)) {
  vfs_.xOpen = open;
  vfs_.xDelete = remove;
  vfs_.xAccess = access;
  vfs_.xFullPathname = [](sqlite3_vfs* vfs, const char* path, int size, char* full) {
    return of(vfs).real_->xFullPathname(of(vfs).real_, path, size, full);
  };
  enter();
}

inline int Disk::open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out) {
  Disk& self = of(vfs);
  const int result = self.open_real<File>(path, file, flags, out);
  if (result != SQLITE_OK) return result;
  File* const made = &File::of(file);
  made->base.pMethods = &vfs_layer::table<Methods>;
  made->disk = &self;
  if (path == nullptr) return SQLITE_OK;
  const std::lock_guard lock(self.mutex_);
  auto& inode = self.names_[path];
  if (!inode) inode = std::make_shared<Inode>();
  made->inode = inode;
  made->sync_folder_too = (flags & SQLITE_OPEN_CREATE) != 0 &&
                          (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL)) != 0;
  return SQLITE_OK;
}

inline int Disk::remove(sqlite3_vfs* vfs, const char* path, int sync_folder) {
  Disk& self = of(vfs);
  const int result = self.real_->xDelete(self.real_, path, 0);
  const std::lock_guard lock(self.mutex_);
  self.names_.erase(path);
  if (sync_folder != 0) self.durable_names_ = self.names_;
  return result;
}

inline int Disk::access(sqlite3_vfs* vfs, const char* path, int flags, int* result) {
  return of(vfs).real_->xAccess(of(vfs).real_, path, flags, result);
}

/// Writes the files that survived a power cut into a folder.
inline void put_back(
    const std::map<std::string, std::vector<char>>& files, const std::string& folder) {
  for (const auto& [name, bytes] : files) {
    std::ofstream file(std::filesystem::path(folder) / name, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
}

}  // namespace power_cut
