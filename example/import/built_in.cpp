#include "built_in.hpp"

#include <algorithm>
#include <iterator>

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

/// http://www.w3.org/2001/xml.xsd, as far as it declares anything.
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

/// SOAP encoding: enough to know an array when one is seen, which is then refused by name.
constexpr std::string_view soap_encoding =
    R"(<xs:schema targetNamespace="http://schemas.xmlsoap.org/soap/encoding/"
    xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:complexType name="Array"/>
  <xs:attribute name="arrayType" type="xs:string"/>
</xs:schema>
)";

/// SOAP's own attributes, for contracts that refer to them.
constexpr std::string_view soap_envelope =
    R"(<xs:schema targetNamespace="http://schemas.xmlsoap.org/soap/envelope/"
    xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:attribute name="mustUnderstand" type="xs:boolean"/>
  <xs:attribute name="actor" type="xs:anyURI"/>
</xs:schema>
)";

}  // namespace

bool is_built_in_type(std::string_view local) noexcept {
    return std::find(std::begin(built_in_types), std::end(built_in_types), local) !=
           std::end(built_in_types);
}

std::string_view built_in_schema(std::string_view ns) noexcept {
    if (ns == "http://www.w3.org/XML/1998/namespace") return xml_schema;
    if (ns == "http://schemas.xmlsoap.org/soap/encoding/" ||
        ns == "http://www.w3.org/2003/05/soap-encoding")
        return soap_encoding;
    if (ns == "http://schemas.xmlsoap.org/soap/envelope/") return soap_envelope;
    return {};
}

}  // namespace importer
