#include "built_in.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "built_in_schemas.hpp"

namespace importer {

namespace {

constexpr std::string_view built_in_types[] = {
    "anySimpleType",
    "anyType",
    "anyURI",
    "base64Binary",
    "boolean",
    "byte",
    "date",
    "dateTime",
    "decimal",
    "double",
    "duration",
    "ENTITIES",
    "ENTITY",
    "float",
    "gDay",
    "gMonth",
    "gMonthDay",
    "gYear",
    "gYearMonth",
    "hexBinary",
    "ID",
    "IDREF",
    "IDREFS",
    "int",
    "integer",
    "language",
    "long",
    "Name",
    "NCName",
    "negativeInteger",
    "NMTOKEN",
    "NMTOKENS",
    "nonNegativeInteger",
    "nonPositiveInteger",
    "normalizedString",
    "NOTATION",
    "positiveInteger",
    "QName",
    "short",
    "string",
    "time",
    "token",
    "unsignedByte",
    "unsignedInt",
    "unsignedLong",
    "unsignedShort"};

/// The declarations of http://www.w3.org/2001/xml.xsd.
constexpr std::string_view xml_schema =
    R"(<xs:schema targetNamespace="http://www.w3.org/XML/1998/namespace"
    xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:attribute name="lang">
    <xs:simpleType>
      <xs:restriction base="xs:string">
        <xs:pattern value="([a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*)?"/>
      </xs:restriction>
    </xs:simpleType>
  </xs:attribute>
  <xs:attribute name="space">
    <xs:simpleType>
      <xs:restriction base="xs:NCName">
        <xs:enumeration value="default"/>
        <xs:enumeration value="preserve"/>
      </xs:restriction>
    </xs:simpleType>
  </xs:attribute>
  <xs:attribute name="base" type="xs:anyURI"/>
  <xs:attribute name="id" type="xs:ID"/>
  <xs:attributeGroup name="specialAttrs">
    <xs:attribute ref="xml:base"/>
    <xs:attribute ref="xml:lang"/>
    <xs:attribute ref="xml:space"/>
    <xs:attribute ref="xml:id"/>
  </xs:attributeGroup>
</xs:schema>
)";

}  // namespace

std::string similar_type(std::string_view local) {
  const auto is_similar = [&](std::string_view known) {
    return std::equal(known.begin(), known.end(), local.begin(), local.end(), [](char a, char b) {
      return (a | 0x20) == (b | 0x20);
    });
  };
  const auto found = std::find_if(std::begin(built_in_types), std::end(built_in_types), is_similar);
  return found == std::end(built_in_types) ? std::string() : "; there is " + std::string(*found);
}

bool is_built_in_type(std::string_view local) noexcept {
  return std::find(std::begin(built_in_types), std::end(built_in_types), local) !=
         std::end(built_in_types);
}

std::string_view built_in_schema(std::string_view ns) noexcept {
  static constexpr std::pair<std::string_view, std::string_view> known[] = {
      {"http://www.w3.org/XML/1998/namespace", xml_schema},
      {"http://schemas.xmlsoap.org/soap/encoding/", schemas::soap_encoding},
      {"http://www.w3.org/2003/05/soap-encoding", schemas::soap_encoding},
      {"http://schemas.xmlsoap.org/soap/envelope/", schemas::soap11},
      {"http://www.w3.org/2003/05/soap-envelope", schemas::soap12},
      {"http://www.w3.org/2005/05/xmlmime", schemas::xmlmime},
      {"http://www.w3.org/2004/11/xmlmime", schemas::xmlmime},
      {"http://www.w3.org/2004/06/xmlmime", schemas::xmlmime},
      {"http://www.w3.org/1999/xlink", schemas::xlink},
      {"http://ws-i.org/profiles/basic/1.1/xsd", schemas::swaref},
      {"http://www.w3.org/2005/08/addressing", schemas::wsa10},
      {"http://schemas.xmlsoap.org/ws/2004/08/addressing", schemas::wsa04},
      {"http://www.w3.org/2004/08/xop/include", schemas::xop},
      {"http://docs.oasis-open.org/wsrf/bf-2", schemas::base_faults},
      {"http://docs.oasis-open.org/wsrf/r-2", schemas::resource_faults},
      {"http://docs.oasis-open.org/wsn/t-1", schemas::topics},
      {"http://docs.oasis-open.org/wsn/b-2", schemas::base_notification}};
  for (const auto& [name, text] : known)
    if (name == ns) return text;
  return {};
}

}  // namespace importer
