// A service with features beyond elements: attributes, text with attributes, choices, derived
// types, wildcards. The peer's code is generated from its WSDL.
#pragma once

#include "depot.hpp"
#include "soapsvc.hpp"

namespace bench {

enum class Unit { piece, kilogram, litre };

struct Price {
  soapsvc::decimal amount;
  std::string currency;
  std::optional<std::int32_t> from;
};
struct Article {
  std::string sku;
  Unit unit{};
  std::optional<std::int32_t> pack;
  bool active{};
  std::string name;
  std::vector<Price> prices;
};

struct Contact {
  std::optional<std::string> phone;
  std::optional<std::string> mail;
  std::optional<std::int32_t> desk;
};
struct Step {
  std::optional<std::int32_t> up;
  std::optional<std::int32_t> down;
  std::optional<std::string> gate;
};
struct Move {
  std::int32_t id{};
  Contact contact;
  std::vector<Step> steps;
};

struct Load {
  std::int32_t id{};
  std::string label;
};
struct Crate : Load {
  std::int32_t pieces{};
  std::string wood;
};
struct Barrel : Load {
  double litres{};
  bool full{};
};

struct Note {
  std::vector<soapsvc::xml_attribute> marks;
  std::string subject;
  std::vector<soapsvc::xml> others;
};

struct PutArticles {
  std::vector<Article> items;
};
struct PutMoves {
  std::vector<Move> items;
};
struct PutLoads {
  std::vector<soapsvc::polymorphic<Load>> items;
};
struct PutNotes {
  std::vector<Note> items;
};

struct Articles {
  std::vector<Article> items;
};
struct Moves {
  std::vector<Move> items;
};
struct Loads {
  std::vector<soapsvc::polymorphic<Load>> items;
};
struct Notes {
  std::vector<Note> items;
};

/// Returns the items of the first request. `Seen` is called at the beginning of each handler.
template <void (*Seen)()> class Depot {
public:
  std::int32_t put_articles(const PutArticles& request) { return keep(articles_, request); }
  std::int32_t put_moves(const PutMoves& request) { return keep(moves_, request); }
  std::int32_t put_loads(const PutLoads& request) { return keep(loads_, request); }
  std::int32_t put_notes(const PutNotes& request) { return keep(notes_, request); }
  const Articles& articles() const { return Seen(), articles_; }
  const Moves& moves() const { return Seen(), moves_; }
  const Loads& loads() const { return Seen(), loads_; }
  const Notes& notes() const { return Seen(), notes_; }

private:
  template <class List, class Request> std::int32_t keep(List& list, const Request& request) {
    Seen();
    if (list.items.empty()) list.items = request.items;
    return static_cast<std::int32_t>(request.items.size());
  }

  Articles articles_;
  Moves moves_;
  Loads loads_;
  Notes notes_;
};

}  // namespace bench

template <>
inline constexpr auto soapsvc::schema<bench::Unit> = enumeration(
    "Unit",
    value("piece", bench::Unit::piece),
    value("kg", bench::Unit::kilogram),
    value("litre", bench::Unit::litre));
template <>
inline constexpr auto soapsvc::schema<bench::Price> = record(
    "Price",
    content(&bench::Price::amount),
    attribute("currency", &bench::Price::currency),
    attribute("from", &bench::Price::from));
template <>
inline constexpr auto soapsvc::schema<bench::Article> = record(
    "Article",
    attribute("sku", &bench::Article::sku),
    attribute("unit", &bench::Article::unit),
    attribute("pack", &bench::Article::pack),
    attribute("active", &bench::Article::active),
    field("Name", &bench::Article::name),
    field("Price", &bench::Article::prices));

template <>
inline constexpr auto soapsvc::schema<bench::Contact> = choice(
    field("Phone", &bench::Contact::phone),
    field("Mail", &bench::Contact::mail),
    field("Desk", &bench::Contact::desk));
template <>
inline constexpr auto soapsvc::schema<bench::Step> = choice(
    field("Up", &bench::Step::up),
    field("Down", &bench::Step::down),
    field("Gate", &bench::Step::gate));
template <>
inline constexpr auto soapsvc::schema<bench::Move> = record(
    "Move",
    field("Id", &bench::Move::id),
    group(&bench::Move::contact),
    group(&bench::Move::steps));

template <>
inline constexpr auto soapsvc::schema<bench::Load> =
    record("Load", field("Id", &bench::Load::id), field("Label", &bench::Load::label));
template <>
inline constexpr auto soapsvc::schema<bench::Crate> = record(
    "Crate",
    extends<bench::Load>(),
    field("Pieces", &bench::Crate::pieces),
    field("Wood", &bench::Crate::wood));
template <>
inline constexpr auto soapsvc::schema<bench::Barrel> = record(
    "Barrel",
    extends<bench::Load>(),
    field("Litres", &bench::Barrel::litres),
    field("Full", &bench::Barrel::full));
template <>
inline constexpr auto soapsvc::known_types<bench::Load> =
    soapsvc::types<bench::Crate, bench::Barrel>();

template <>
inline constexpr auto soapsvc::schema<bench::Note> = record(
    "Note",
    any_attribute(&bench::Note::marks),
    field("Subject", &bench::Note::subject),
    any(&bench::Note::others));

template <>
inline constexpr auto soapsvc::schema<bench::PutArticles> =
    record(field("Article", &bench::PutArticles::items));
template <>
inline constexpr auto soapsvc::schema<bench::PutMoves> =
    record(field("Move", &bench::PutMoves::items));
template <>
inline constexpr auto soapsvc::schema<bench::PutLoads> =
    record(field("Load", &bench::PutLoads::items));
template <>
inline constexpr auto soapsvc::schema<bench::PutNotes> =
    record(field("Note", &bench::PutNotes::items));
template <>
inline constexpr auto soapsvc::schema<bench::Articles> =
    record(field("Article", &bench::Articles::items));
template <>
inline constexpr auto soapsvc::schema<bench::Moves> = record(field("Move", &bench::Moves::items));
template <>
inline constexpr auto soapsvc::schema<bench::Loads> = record(field("Load", &bench::Loads::items));
template <>
inline constexpr auto soapsvc::schema<bench::Notes> = record(field("Note", &bench::Notes::items));

template <void (*Seen)()>
inline constexpr auto soapsvc::schema<bench::Depot<Seen>> = service(
    "Depot",
    soap11_only,
    operation("PutArticles", &bench::Depot<Seen>::put_articles),
    operation("GetArticles", &bench::Depot<Seen>::articles),
    operation("PutMoves", &bench::Depot<Seen>::put_moves),
    operation("GetMoves", &bench::Depot<Seen>::moves),
    operation("PutLoads", &bench::Depot<Seen>::put_loads),
    operation("GetLoads", &bench::Depot<Seen>::loads),
    operation("PutNotes", &bench::Depot<Seen>::put_notes),
    operation("GetNotes", &bench::Depot<Seen>::notes));
