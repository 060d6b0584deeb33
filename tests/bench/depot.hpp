// The messages of the benchmarks for the depot: attributes, choices and other features beyond
// elements, as plain data for our program and the peer's. `put` takes a hundred items, and `get`
// returns the items of the first `put`: the written data equals the data that was read.
#pragma once

#include "messages.hpp"

namespace bench {

inline constexpr int depot_items = 100;

inline codec_case depot_case(
    const char* name, const std::string& operation, const std::string& content) {
  return {
      name,
      "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope "
      "xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:d=\"" +
          ns_base + "/Depot\"><soap:Body><" + operation + " xmlns=\"" + ns_base + "/Depot\">" +
          content + "</" + operation + "></soap:Body></soap:Envelope>",
      "/soap/v3/Depot.asmx"};
}

/// Attributes, and text with attributes (simpleContent).
inline std::string articles_xml() {
  static constexpr const char* units[] = {"piece", "kg", "litre"};
  std::string xml;
  for (int i = 1; i <= depot_items; ++i) {
    const std::string number = std::to_string(i);
    xml += "<Article sku=\"A-" + number + "\" unit=\"" + units[i % 3] + "\"";
    if (i % 2 == 0) xml += " pack=\"" + std::to_string(i * 6) + "\"";
    xml += " active=\"" + std::string(i % 4 == 0 ? "false" : "true") + "\">";
    xml += "<Name>Bolt M" + number + " &amp; nut</Name>";
    xml += "<Price currency=\"EUR\">" + number + ".95</Price>";
    xml += "<Price currency=\"NOK\" from=\"" + number + "\">1" + number + ".50</Price>";
    xml += "</Article>";
  }
  return xml;
}

/// A choice in each, and one that repeats.
inline std::string moves_xml() {
  std::string xml;
  for (int i = 1; i <= depot_items; ++i) {
    const std::string number = std::to_string(i);
    xml += "<Move><Id>" + number + "</Id>";
    xml += i % 3 == 0   ? "<Phone>+47 555 0" + number + "</Phone>"
           : i % 3 == 1 ? "<Mail>desk" + number + "@example.com</Mail>"
                        : "<Desk>" + number + "</Desk>";
    for (int step = 0; step != 4; ++step)
      xml += (i + step) % 3 == 0   ? "<Up>" + std::to_string(step) + "</Up>"
             : (i + step) % 3 == 1 ? "<Down>" + number + "</Down>"
                                   : "<Gate>North " + number + "</Gate>";
    xml += "</Move>";
  }
  return xml;
}

/// Values of types derived from that of the element, by xsi:type.
inline std::string loads_xml() {
  std::string xml;
  for (int i = 1; i <= depot_items; ++i) {
    const std::string number = std::to_string(i);
    const std::string common = "<Id>" + number + "</Id><Label>Load " + number + "</Label>";
    if (i % 3 == 0)
      xml += "<Load>" + common + "</Load>";
    else if (i % 3 == 1)
      xml += "<Load xsi:type=\"d:Crate\">" + common + "<Pieces>" + number +
             "</Pieces><Wood>pine</Wood></Load>";
    else
      xml += "<Load xsi:type=\"d:Barrel\">" + common + "<Litres>" + number +
             ".5</Litres><Full>true</Full></Load>";
  }
  return xml;
}

/// Elements and attributes of other contracts.
inline std::string notes_xml() {
  std::string xml;
  for (int i = 1; i <= depot_items; ++i) {
    const std::string number = std::to_string(i);
    xml += "<Note xmlns:m=\"urn:marks\" m:colour=\"red\" m:weight=\"" + number + "\">";
    xml += "<Subject>Delivery " + number + "</Subject>";
    xml += "<t:Tag xmlns:t=\"urn:tags\" t:key=\"k" + number + "\"><t:Name>fragile</t:Name>";
    xml += "<t:Value>" + number + "</t:Value></t:Tag>";
    xml += "<Seal xmlns=\"urn:seals\" number=\"" + number + "\">unbroken &lt;ok&gt;</Seal>";
    xml += "</Note>";
  }
  return xml;
}

/// By the feature of a contract; `ns` before `out`.
inline std::vector<codec_case> depot_cases() {
  return {
      depot_case("attributes-in", "PutArticles", articles_xml()),
      depot_case("attributes-out", "GetArticles", ""),
      depot_case("choices-in", "PutMoves", moves_xml()),
      depot_case("choices-out", "GetMoves", ""),
      depot_case("derived-in", "PutLoads", loads_xml()),
      depot_case("derived-out", "GetLoads", ""),
      depot_case("wildcards-in", "PutNotes", notes_xml()),
      depot_case("wildcards-out", "GetNotes", "")};
}

}  // namespace bench
