#include "store/copy.hpp"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <stdexcept>

namespace {

constexpr std::array<const char*, copy_tables> names{
    "domain",
    "user",
    "employee",
    "address",
    "debtor",
    "webhook_setting",
    "webhook_event",
    "last_id"};

/// The number of rows of a table, and a digest of its data.
class Tally {
public:
  Tally() {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
      throw std::bad_alloc();
  }

  void add(const CopyRow& row) {
    ++rows_;
    for (const CopyValue& value : row) {
      // Each value has its length before it, so that different rows have different bytes.
      const std::string size = value ? std::to_string(value->size()) + ':' : "-";
      EVP_DigestUpdate(context_.get(), size.data(), size.size());
      if (value) EVP_DigestUpdate(context_.get(), value->data(), value->size());
    }
  }

  /// Finishes the digest.
  std::pair<std::size_t, Digest> result() {
    Digest digest{};
    EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
    return {rows_, digest};
  }

private:
  std::size_t rows_ = 0;
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

using Tallies = std::array<Tally, copy_tables>;

}  // namespace

void copy_business(CopyStore& from, CopyStore& to) {
  // The writer may have to try again. Only the counts of the last attempt are kept.
  Tallies sent;
  const bool empty = to.receive_all([&](const CopySink& take) {
    sent = Tallies();
    from.send_all([&](CopyTable table, const CopyRow& row) {
      sent[static_cast<std::size_t>(table)].add(row);
      take(table, row);
    });
  });
  if (!empty)
    throw std::runtime_error(
        "the database of --to holds data already; nothing was copied; name an empty database");
  Tallies arrived;
  to.send_all([&](CopyTable table, const CopyRow& row) {
    arrived[static_cast<std::size_t>(table)].add(row);
  });
  for (std::size_t table = 0; table != copy_tables; ++table)
    if (sent[table].result() != arrived[table].result())
      throw std::runtime_error(
          std::string("table ") + names[table] +
          " of the copy differs from the original; do not use the copy, and report this "
          "error of payroll");
}
