// A disk that fails on demand: a file system layer for SQLite that answers chosen operations with an
// error, from the n-th one on or at the n-th one alone, until it is told to be well again. What it
// does not fail goes to the real file system.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace faulty_disk {

/// What may fail. A write that fails with SQLITE_FULL is a full disk, with SQLITE_READONLY a file
/// that may not be written.
enum class Step { open, read, write, truncate, sync, lock, map };

/// Which operation fails, and with what.
struct Failure {
    Step step = Step::write;
    int code = SQLITE_IOERR;
    long after = 0;  ///< so many operations of this kind still succeed
    bool once = false;  ///< only the one after these fails
};

class Disk {
public:
    explicit Disk(std::string name);
    ~Disk() { sqlite3_vfs_unregister(&vfs_); }
    Disk(const Disk&) = delete;
    Disk& operator=(const Disk&) = delete;

    const std::string& name() const { return name_; }

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

    /// How often an operation has failed since `fail`.
    long hits() {
        const std::lock_guard lock(mutex_);
        return hits_;
    }

private:
    struct File;
    struct Methods;

    static Disk& of(sqlite3_vfs* vfs) { return *static_cast<Disk*>(vfs->pAppData); }
    static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out);

    /// SQLITE_OK, or the error that this operation gives.
    int verdict(Step step) {
        const std::lock_guard lock(mutex_);
        if (!failing_ || step != failure_.step || failure_.after-- > 0) return SQLITE_OK;
        if (failure_.once && hits_ != 0) return SQLITE_OK;
        ++hits_;
        return failure_.code;
    }

    std::string name_;
    sqlite3_vfs* real_;
    sqlite3_vfs vfs_{};
    std::mutex mutex_;
    Failure failure_;
    bool failing_ = false;
    long hits_ = 0;
};

/// An open file: SQLite makes room for it, the real file follows behind.
struct Disk::File {
    sqlite3_file base{};
    Disk* disk = nullptr;

    static File& of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
    static sqlite3_file* real(sqlite3_file* file) {
        return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(File));
    }
};

struct Disk::Methods {
    static const sqlite3_io_methods* real(sqlite3_file* file) { return File::real(file)->pMethods; }

    /// The real operation, unless it is to fail.
    template <class Go>
    static int unless_failing(sqlite3_file* file, Step step, Go go) {
        const int verdict = File::of(file).disk->verdict(step);
        return verdict != SQLITE_OK ? verdict : go(File::real(file), real(file));
    }

    static int close(sqlite3_file* file) { return real(file)->xClose(File::real(file)); }
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
    /// The real file is not synced: the test's machine does not lose its power.
    static int sync(sqlite3_file* file, int) { return File::of(file).disk->verdict(Step::sync); }
    static int size(sqlite3_file* file, sqlite3_int64* bytes) {
        return real(file)->xFileSize(File::real(file), bytes);
    }
    static int lock(sqlite3_file* file, int level) {
        return unless_failing(file, Step::lock, [&](sqlite3_file* at, auto* methods) {
            return methods->xLock(at, level);
        });
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
    static void shm_barrier(sqlite3_file* file) { real(file)->xShmBarrier(File::real(file)); }
    static int shm_unmap(sqlite3_file* file, int remove) {
        return real(file)->xShmUnmap(File::real(file), remove);
    }

    /// Version 2: memory-mapped reading would go past the failures.
    static constexpr sqlite3_io_methods table{
        2,
        close,
        read,
        write,
        truncate,
        sync,
        size,
        lock,
        unlock,
        reserved,
        control,
        sector_size,
        characteristics,
        shm_map,
        shm_lock,
        shm_barrier,
        shm_unmap,
        nullptr,
        nullptr};
};

inline Disk::Disk(std::string name) : name_(std::move(name)), real_(sqlite3_vfs_find(nullptr)) {
    vfs_ = *real_;
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.zName = name_.c_str();
    vfs_.pAppData = this;
    vfs_.pNext = nullptr;
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
    if (sqlite3_vfs_register(&vfs_, 0) != SQLITE_OK) throw std::runtime_error("cannot register");
}

inline int Disk::open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out) {
    Disk& self = of(vfs);
    file->pMethods = nullptr;
    if (const int verdict = self.verdict(Step::open); verdict != SQLITE_OK) return verdict;
    auto* made = new (file) File;
    sqlite3_file* real = File::real(file);
    std::memset(real, 0, static_cast<std::size_t>(self.real_->szOsFile));
    const int result = self.real_->xOpen(self.real_, path, real, flags, out);
    made->disk = &self;
    made->base.pMethods = result == SQLITE_OK ? &Methods::table : nullptr;
    return result;
}

}  // namespace faulty_disk
