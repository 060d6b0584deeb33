// A disk that fails on demand: a file system layer for SQLite in which chosen operations fail, from
// the n-th one on or only the n-th one, until it is repaired. Other operations go to the real file
// system.
#pragma once

#include <sqlite3.h>

#include <mutex>
#include <string>
#include <utility>

#include "vfs_layer.hpp"

namespace faulty_disk {

/// The operations that can fail. A write that fails with SQLITE_FULL means a full disk, and with
/// SQLITE_READONLY a read-only file.
enum class Step { open, read, write, truncate, sync, lock, map };

/// The operation that fails, and its error.
struct Failure {
  Step step = Step::write;
  int code = SQLITE_IOERR;
  long after = 0;  ///< number of operations of this kind that still succeed
  bool once = false;  ///< only the next operation after these fails
};

class Disk : public vfs_layer::Layer {
public:
  explicit Disk(std::string name);

  void fail(const Failure& failure) {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    failing_ = true;
    hits_ = 0;
  }
  void be_well() {
    const std::lock_guard lock(mutex_);
    failing_ = false;
  }

  /// The number of failures since `fail`.
  long hits() {
    const std::lock_guard lock(mutex_);
    return hits_;
  }

private:
  struct File;
  struct Methods;

  static Disk& of(sqlite3_vfs* vfs) { return *static_cast<Disk*>(vfs->pAppData); }
  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out);

  /// SQLITE_OK, or the error of this operation.
  int verdict(Step step) {
    const std::lock_guard lock(mutex_);
    if (!failing_ || step != failure_.step || failure_.after-- > 0) return SQLITE_OK;
    if (failure_.once && hits_ != 0) return SQLITE_OK;
    ++hits_;
    return failure_.code;
  }

  std::mutex mutex_;
  Failure failure_;
  bool failing_ = false;
  long hits_ = 0;
};

struct Disk::File : vfs_layer::OpenFile<File> {
  Disk* disk = nullptr;
};

struct Disk::Methods : vfs_layer::Methods<File> {
  /// The real operation, unless it is to fail.
  template <class Go> static int unless_failing(sqlite3_file* file, Step step, Go go) {
    const int verdict = File::of(file).disk->verdict(step);
    return verdict != SQLITE_OK ? verdict : go(File::real(file), real(file));
  }

  static int read(sqlite3_file* file, void* to, int count, sqlite3_int64 offset) {
    return unless_failing(file, Step::read, [&](sqlite3_file* at, auto* methods) {
      return methods->xRead(at, to, count, offset);
    });
  }
  static int write(sqlite3_file* file, const void* from, int count, sqlite3_int64 offset) {
    return unless_failing(file, Step::write, [&](sqlite3_file* at, auto* methods) {
      return methods->xWrite(at, from, count, offset);
    });
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    return unless_failing(file, Step::truncate, [&](sqlite3_file* at, auto* methods) {
      return methods->xTruncate(at, size);
    });
  }
  /// The real file is not synced, because the test's machine does not lose power.
  static int sync(sqlite3_file* file, int) { return File::of(file).disk->verdict(Step::sync); }
  static int lock(sqlite3_file* file, int level) {
    return unless_failing(file, Step::lock, [&](sqlite3_file* at, auto* methods) {
      return methods->xLock(at, level);
    });
  }
  static int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** to) {
    return unless_failing(file, Step::map, [&](sqlite3_file* at, auto* methods) {
      return methods->xShmMap(at, page, size, extend, to);
    });
  }
  static int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
    const bool unlocks = (flags & SQLITE_SHM_UNLOCK) != 0;
    const int verdict = unlocks ? SQLITE_OK : File::of(file).disk->verdict(Step::lock);
    return verdict != SQLITE_OK ? verdict
                                : real(file)->xShmLock(File::real(file), offset, count, flags);
  }
};

inline Disk::Disk(std::string name) : Layer(std::move(name), this, sizeof(File)) {
  vfs_.xOpen = open;
  // The real layer finds its own data by the pointer that it is called with.
  vfs_.xDelete = [](sqlite3_vfs* vfs, const char* path, int sync_folder) {
    return of(vfs).real_->xDelete(of(vfs).real_, path, sync_folder);
  };
  vfs_.xAccess = [](sqlite3_vfs* vfs, const char* path, int flags, int* result) {
    return of(vfs).real_->xAccess(of(vfs).real_, path, flags, result);
  };
  vfs_.xFullPathname = [](sqlite3_vfs* vfs, const char* path, int size, char* full) {
    return of(vfs).real_->xFullPathname(of(vfs).real_, path, size, full);
  };
  enter();
}

inline int Disk::open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out) {
  Disk& self = of(vfs);
  file->pMethods = nullptr;
  if (const int verdict = self.verdict(Step::open); verdict != SQLITE_OK) return verdict;
  const int result = self.open_real<File>(path, file, flags, out);
  if (result != SQLITE_OK) return result;
  File::of(file).disk = &self;
  File::of(file).base.pMethods = &vfs_layer::table<Methods>;
  return SQLITE_OK;
}

}  // namespace faulty_disk
