// Schemas of specifications that contracts import by an address, without a copy of them. Written
// from the specifications, without components that no contract refers to.
#ifndef IMPORT_BUILT_IN_SCHEMAS_HPP
#define IMPORT_BUILT_IN_SCHEMAS_HPP

#include <string_view>

namespace importer::schemas {

/// SOAP 1.1, 4.
inline constexpr std::string_view soap11 =
    R"(<xs:schema targetNamespace="http://schemas.xmlsoap.org/soap/envelope/" xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"
    xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:attribute name="mustUnderstand" type="xs:boolean"/>
  <xs:attribute name="actor" type="xs:anyURI"/>
  <xs:simpleType name="encodingStyle"><xs:list itemType="xs:anyURI"/></xs:simpleType>
  <xs:attribute name="encodingStyle" type="s:encodingStyle"/>
  <xs:attributeGroup name="encodingStyle"><xs:attribute ref="s:encodingStyle"/></xs:attributeGroup>
  <xs:element name="Envelope" type="s:Envelope"/>
  <xs:complexType name="Envelope"><xs:sequence><xs:element ref="s:Header" minOccurs="0"/><xs:element ref="s:Body"/>
    <xs:any namespace="##other" minOccurs="0" maxOccurs="unbounded" processContents="lax"/></xs:sequence>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
  <xs:element name="Header" type="s:Header"/>
  <xs:complexType name="Header"><xs:sequence><xs:any namespace="##other" minOccurs="0" maxOccurs="unbounded" processContents="lax"/>
    </xs:sequence><xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
  <xs:element name="Body" type="s:Body"/>
  <xs:complexType name="Body"><xs:sequence><xs:any namespace="##any" minOccurs="0" maxOccurs="unbounded" processContents="lax"/>
    </xs:sequence><xs:anyAttribute namespace="##any" processContents="lax"/></xs:complexType>
  <xs:element name="Fault" type="s:Fault"/>
  <xs:complexType name="Fault"><xs:sequence><xs:element name="faultcode" type="xs:QName"/>
    <xs:element name="faultstring" type="xs:string"/><xs:element name="faultactor" type="xs:anyURI" minOccurs="0"/>
    <xs:element name="detail" type="s:detail" minOccurs="0"/></xs:sequence></xs:complexType>
  <xs:complexType name="detail"><xs:sequence><xs:any namespace="##any" minOccurs="0" maxOccurs="unbounded" processContents="lax"/>
    </xs:sequence><xs:anyAttribute namespace="##any" processContents="lax"/></xs:complexType>
</xs:schema>
)";

/// SOAP 1.2 part 1, 5.2: the attributes of header blocks.
inline constexpr std::string_view soap12 =
    R"(<xs:schema targetNamespace="http://www.w3.org/2003/05/soap-envelope" xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:attribute name="mustUnderstand" type="xs:boolean" default="0"/>
  <xs:attribute name="relay" type="xs:boolean" default="0"/>
  <xs:attribute name="role" type="xs:anyURI"/>
  <xs:attribute name="encodingStyle" type="xs:anyURI"/>
</xs:schema>
)";

/// SOAP encoding: enough to know an array when one is seen, which is then refused by name.
inline constexpr std::string_view soap_encoding =
    R"(<xs:schema targetNamespace="http://schemas.xmlsoap.org/soap/encoding/"
    xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:complexType name="Array"/>
  <xs:attribute name="arrayType" type="xs:string"/>
  <xs:attributeGroup name="commonAttributes"><xs:attribute name="id" type="xs:ID"/>
    <xs:attribute name="href" type="xs:anyURI"/>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:attributeGroup>
</xs:schema>
)";

/// Assigning Media Types to Binary Data in XML, 3.1 and 3.2. Without a namespace of its own:
/// drafts, which toolkits had in their examples, have the same under other names.
inline constexpr std::string_view xmlmime =
    R"(<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:attribute name="contentType"><xs:simpleType><xs:restriction base="xs:string"><xs:minLength value="3"/>
    </xs:restriction></xs:simpleType></xs:attribute>
  <xs:attribute name="expectedContentTypes" type="xs:string"/>
  <xs:complexType name="base64Binary"><xs:simpleContent><xs:extension base="xs:base64Binary">
    <xs:attribute ref="contentType"/></xs:extension></xs:simpleContent></xs:complexType>
  <xs:complexType name="hexBinary"><xs:simpleContent><xs:extension base="xs:hexBinary">
    <xs:attribute ref="contentType"/></xs:extension></xs:simpleContent></xs:complexType>
</xs:schema>
)";

/// XLink 1.1, 4 and 5.
inline constexpr std::string_view xlink =
    R"(<xs:schema targetNamespace="http://www.w3.org/1999/xlink" xmlns:l="http://www.w3.org/1999/xlink"
    xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:attribute name="type"><xs:simpleType><xs:restriction base="xs:token"><xs:enumeration value="simple"/>
    <xs:enumeration value="extended"/><xs:enumeration value="title"/><xs:enumeration value="resource"/>
    <xs:enumeration value="locator"/><xs:enumeration value="arc"/></xs:restriction></xs:simpleType></xs:attribute>
  <xs:attribute name="href" type="xs:anyURI"/>
  <xs:attribute name="role" type="xs:anyURI"/>
  <xs:attribute name="arcrole" type="xs:anyURI"/>
  <xs:attribute name="title" type="xs:string"/>
  <xs:attribute name="show"><xs:simpleType><xs:restriction base="xs:token"><xs:enumeration value="new"/>
    <xs:enumeration value="replace"/><xs:enumeration value="embed"/><xs:enumeration value="other"/>
    <xs:enumeration value="none"/></xs:restriction></xs:simpleType></xs:attribute>
  <xs:attribute name="actuate"><xs:simpleType><xs:restriction base="xs:token"><xs:enumeration value="onLoad"/>
    <xs:enumeration value="onRequest"/><xs:enumeration value="other"/><xs:enumeration value="none"/>
    </xs:restriction></xs:simpleType></xs:attribute>
  <xs:attribute name="label" type="xs:NCName"/>
  <xs:attribute name="from" type="xs:NCName"/>
  <xs:attribute name="to" type="xs:NCName"/>
  <xs:attributeGroup name="simpleAttrs"><xs:attribute ref="l:type" fixed="simple"/><xs:attribute ref="l:href"/>
    <xs:attribute ref="l:role"/><xs:attribute ref="l:arcrole"/><xs:attribute ref="l:title"/><xs:attribute ref="l:show"/>
    <xs:attribute ref="l:actuate"/></xs:attributeGroup>
  <xs:attributeGroup name="simpleLink"><xs:attributeGroup ref="l:simpleAttrs"/></xs:attributeGroup>
</xs:schema>
)";

/// WS-I Attachments Profile 1.0, 4.4.
inline constexpr std::string_view swaref =
    R"(<xs:schema targetNamespace="http://ws-i.org/profiles/basic/1.1/xsd" xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:simpleType name="swaRef"><xs:restriction base="xs:anyURI"/></xs:simpleType>
</xs:schema>
)";

/// WS-Addressing 1.0, 2 and 3.
inline constexpr std::string_view wsa10 =
    R"(<xs:schema targetNamespace="http://www.w3.org/2005/08/addressing" xmlns:a="http://www.w3.org/2005/08/addressing"
    xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">
  <xs:element name="EndpointReference" type="a:EndpointReferenceType"/>
  <xs:complexType name="EndpointReferenceType"><xs:sequence><xs:element name="Address" type="a:AttributedURIType"/>
    <xs:element ref="a:ReferenceParameters" minOccurs="0"/><xs:element ref="a:Metadata" minOccurs="0"/>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
  <xs:element name="ReferenceParameters" type="a:ReferenceParametersType"/>
  <xs:complexType name="ReferenceParametersType"><xs:sequence>
    <xs:any namespace="##any" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
  <xs:element name="Metadata" type="a:MetadataType"/>
  <xs:complexType name="MetadataType"><xs:sequence>
    <xs:any namespace="##any" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
  <xs:element name="MessageID" type="a:AttributedURIType"/>
  <xs:element name="RelatesTo" type="a:RelatesToType"/>
  <xs:complexType name="RelatesToType"><xs:simpleContent><xs:extension base="xs:anyURI">
    <xs:attribute name="RelationshipType" type="a:RelationshipTypeOpenEnum" default="http://www.w3.org/2005/08/addressing/reply"/>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:extension></xs:simpleContent></xs:complexType>
  <xs:simpleType name="RelationshipTypeOpenEnum"><xs:union memberTypes="a:RelationshipType xs:anyURI"/></xs:simpleType>
  <xs:simpleType name="RelationshipType"><xs:restriction base="xs:anyURI">
    <xs:enumeration value="http://www.w3.org/2005/08/addressing/reply"/></xs:restriction></xs:simpleType>
  <xs:element name="ReplyTo" type="a:EndpointReferenceType"/>
  <xs:element name="From" type="a:EndpointReferenceType"/>
  <xs:element name="FaultTo" type="a:EndpointReferenceType"/>
  <xs:element name="To" type="a:AttributedURIType"/>
  <xs:element name="Action" type="a:AttributedURIType"/>
  <xs:complexType name="AttributedURIType"><xs:simpleContent><xs:extension base="xs:anyURI">
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:extension></xs:simpleContent></xs:complexType>
  <xs:attribute name="IsReferenceParameter" type="xs:boolean"/>
  <xs:element name="RetryAfter" type="a:AttributedUnsignedLongType"/>
  <xs:complexType name="AttributedUnsignedLongType"><xs:simpleContent><xs:extension base="xs:unsignedLong">
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:extension></xs:simpleContent></xs:complexType>
  <xs:element name="ProblemHeaderQName" type="a:AttributedQNameType"/>
  <xs:complexType name="AttributedQNameType"><xs:simpleContent><xs:extension base="xs:QName">
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:extension></xs:simpleContent></xs:complexType>
  <xs:element name="ProblemIRI" type="a:AttributedURIType"/>
  <xs:element name="ProblemAction" type="a:ProblemActionType"/>
  <xs:complexType name="ProblemActionType"><xs:sequence><xs:element ref="a:Action" minOccurs="0"/>
    <xs:element name="SoapAction" minOccurs="0" type="xs:anyURI"/></xs:sequence>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
</xs:schema>
)";

/// WS-Addressing, member submission of August 2004, 2 and 3.
inline constexpr std::string_view wsa04 =
    R"(<xs:schema targetNamespace="http://schemas.xmlsoap.org/ws/2004/08/addressing" xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing"
    xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">
  <xs:element name="EndpointReference" type="a:EndpointReferenceType"/>
  <xs:complexType name="EndpointReferenceType"><xs:sequence><xs:element name="Address" type="a:AttributedURI"/>
    <xs:element name="ReferenceProperties" type="a:ReferencePropertiesType" minOccurs="0"/>
    <xs:element name="ReferenceParameters" type="a:ReferenceParametersType" minOccurs="0"/>
    <xs:element name="PortType" type="a:AttributedQName" minOccurs="0"/>
    <xs:element name="ServiceName" type="a:ServiceNameType" minOccurs="0"/>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
  <xs:complexType name="ReferencePropertiesType"><xs:sequence>
    <xs:any processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
  <xs:complexType name="ReferenceParametersType"><xs:sequence>
    <xs:any processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
  <xs:complexType name="ServiceNameType"><xs:simpleContent><xs:extension base="xs:QName">
    <xs:attribute name="PortName" type="xs:NCName"/>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:extension></xs:simpleContent></xs:complexType>
  <xs:complexType name="Relationship"><xs:simpleContent><xs:extension base="xs:anyURI">
    <xs:attribute name="RelationshipType" type="xs:QName"/>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:extension></xs:simpleContent></xs:complexType>
  <xs:element name="MessageID" type="a:AttributedURI"/>
  <xs:element name="RelatesTo" type="a:Relationship"/>
  <xs:element name="To" type="a:AttributedURI"/>
  <xs:element name="Action" type="a:AttributedURI"/>
  <xs:element name="From" type="a:EndpointReferenceType"/>
  <xs:element name="ReplyTo" type="a:EndpointReferenceType"/>
  <xs:element name="FaultTo" type="a:EndpointReferenceType"/>
  <xs:attribute name="Action" type="xs:anyURI"/>
  <xs:complexType name="AttributedQName"><xs:simpleContent><xs:extension base="xs:QName">
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:extension></xs:simpleContent></xs:complexType>
  <xs:complexType name="AttributedURI"><xs:simpleContent><xs:extension base="xs:anyURI">
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:extension></xs:simpleContent></xs:complexType>
</xs:schema>
)";

/// WS-BaseFaults 1.2, 2.
inline constexpr std::string_view base_faults =
    R"(<xs:schema targetNamespace="http://docs.oasis-open.org/wsrf/bf-2" xmlns:b="http://docs.oasis-open.org/wsrf/bf-2"
    xmlns:a="http://www.w3.org/2005/08/addressing" xmlns:xs="http://www.w3.org/2001/XMLSchema"
    elementFormDefault="qualified">
  <xs:element name="BaseFault" type="b:BaseFaultType"/>
  <xs:complexType name="BaseFaultType"><xs:sequence>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
    <xs:element name="Timestamp" type="xs:dateTime"/>
    <xs:element name="Originator" type="a:EndpointReferenceType" minOccurs="0"/>
    <xs:element name="ErrorCode" minOccurs="0"><xs:complexType mixed="true"><xs:sequence>
      <xs:any namespace="##any" processContents="lax" minOccurs="0"/></xs:sequence>
      <xs:attribute name="dialect" type="xs:anyURI" use="required"/></xs:complexType></xs:element>
    <xs:element name="Description" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:simpleContent>
      <xs:extension base="xs:string"><xs:attribute ref="xml:lang"/></xs:extension></xs:simpleContent></xs:complexType></xs:element>
    <xs:element name="FaultCause" minOccurs="0"><xs:complexType><xs:sequence>
      <xs:any namespace="##other" processContents="lax"/></xs:sequence></xs:complexType></xs:element>
    </xs:sequence><xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
</xs:schema>
)";

/// WS-Resource 1.2: the faults for an unknown and for an unavailable resource.
inline constexpr std::string_view resource_faults =
    R"(<xs:schema targetNamespace="http://docs.oasis-open.org/wsrf/r-2" xmlns:r="http://docs.oasis-open.org/wsrf/r-2"
    xmlns:b="http://docs.oasis-open.org/wsrf/bf-2" xmlns:xs="http://www.w3.org/2001/XMLSchema"
    elementFormDefault="qualified">
  <xs:element name="ResourceUnknownFault" type="r:ResourceUnknownFaultType"/>
  <xs:complexType name="ResourceUnknownFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/>
    </xs:complexContent></xs:complexType>
  <xs:element name="ResourceUnavailableFault" type="r:ResourceUnavailableFaultType"/>
  <xs:complexType name="ResourceUnavailableFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/>
    </xs:complexContent></xs:complexType>
</xs:schema>
)";

/// XOP 1.0, 2.1.
inline constexpr std::string_view xop =
    R"(<xs:schema targetNamespace="http://www.w3.org/2004/08/xop/include" xmlns:x="http://www.w3.org/2004/08/xop/include"
    xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">
  <xs:element name="Include" type="x:Include"/>
  <xs:complexType name="Include"><xs:sequence>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:attribute name="href" type="xs:anyURI" use="required"/>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
</xs:schema>
)";

/// WS-Topics 1.3, 6.
inline constexpr std::string_view topics =
    R"(<xs:schema targetNamespace="http://docs.oasis-open.org/wsn/t-1" xmlns:t="http://docs.oasis-open.org/wsn/t-1"
    xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">
  <xs:complexType name="Documentation" mixed="true"><xs:sequence>
    <xs:any processContents="lax" minOccurs="0" maxOccurs="unbounded" namespace="##any"/></xs:sequence></xs:complexType>
  <xs:complexType name="ExtensibleDocumented" abstract="true" mixed="false"><xs:sequence>
    <xs:element name="documentation" type="t:Documentation" minOccurs="0"/></xs:sequence>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
  <xs:element name="TopicSet" type="t:TopicSetType"/>
  <xs:complexType name="TopicSetType"><xs:complexContent><xs:extension base="t:ExtensibleDocumented"><xs:sequence>
    <xs:any namespace="##other" minOccurs="0" maxOccurs="unbounded" processContents="lax"/></xs:sequence>
    </xs:extension></xs:complexContent></xs:complexType>
  <xs:attribute name="topic" type="xs:boolean" default="false"/>
</xs:schema>
)";

/// WS-BaseNotification 1.3, 3 to 6.
inline constexpr std::string_view base_notification =
    R"(<xs:schema targetNamespace="http://docs.oasis-open.org/wsn/b-2" xmlns:n="http://docs.oasis-open.org/wsn/b-2"
    xmlns:a="http://www.w3.org/2005/08/addressing" xmlns:b="http://docs.oasis-open.org/wsrf/bf-2"
    xmlns:t="http://docs.oasis-open.org/wsn/t-1" xmlns:xs="http://www.w3.org/2001/XMLSchema"
    elementFormDefault="qualified">
  <xs:complexType name="QueryExpressionType" mixed="true"><xs:sequence>
    <xs:any minOccurs="0" processContents="lax"/></xs:sequence>
    <xs:attribute name="Dialect" type="xs:anyURI" use="required"/></xs:complexType>
  <xs:complexType name="TopicExpressionType" mixed="true"><xs:sequence>
    <xs:any minOccurs="0" processContents="lax"/></xs:sequence>
    <xs:attribute name="Dialect" type="xs:anyURI" use="required"/><xs:anyAttribute/></xs:complexType>
  <xs:complexType name="FilterType"><xs:sequence>
    <xs:any minOccurs="0" maxOccurs="unbounded" processContents="lax"/></xs:sequence></xs:complexType>
  <xs:complexType name="SubscriptionPolicyType"><xs:sequence>
    <xs:any minOccurs="0" maxOccurs="unbounded" processContents="lax"/></xs:sequence></xs:complexType>
  <xs:element name="TopicExpression" type="n:TopicExpressionType"/>
  <xs:element name="FixedTopicSet" type="xs:boolean" default="true"/>
  <xs:element name="TopicExpressionDialect" type="xs:anyURI"/>
  <xs:element name="NotificationProducerRP"><xs:complexType><xs:sequence>
    <xs:element ref="n:TopicExpression" minOccurs="0" maxOccurs="unbounded"/><xs:element ref="n:FixedTopicSet" minOccurs="0"/>
    <xs:element ref="n:TopicExpressionDialect" minOccurs="0" maxOccurs="unbounded"/><xs:element ref="t:TopicSet" minOccurs="0"/>
    </xs:sequence></xs:complexType></xs:element>
  <xs:element name="ConsumerReference" type="a:EndpointReferenceType"/>
  <xs:element name="Filter" type="n:FilterType"/>
  <xs:element name="SubscriptionPolicy" type="n:SubscriptionPolicyType"/>
  <xs:element name="CreationTime" type="xs:dateTime"/>
  <xs:element name="SubscriptionManagerRP"><xs:complexType><xs:sequence><xs:element ref="n:ConsumerReference"/>
    <xs:element ref="n:Filter" minOccurs="0"/><xs:element ref="n:SubscriptionPolicy" minOccurs="0"/>
    <xs:element ref="n:CreationTime" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="SubscriptionReference" type="a:EndpointReferenceType"/>
  <xs:element name="Topic" type="n:TopicExpressionType"/>
  <xs:element name="ProducerReference" type="a:EndpointReferenceType"/>
  <xs:complexType name="NotificationMessageHolderType"><xs:sequence><xs:element ref="n:SubscriptionReference" minOccurs="0"/>
    <xs:element ref="n:Topic" minOccurs="0"/><xs:element ref="n:ProducerReference" minOccurs="0"/>
    <xs:element name="Message"><xs:complexType><xs:sequence><xs:any namespace="##any" processContents="lax"/></xs:sequence>
    </xs:complexType></xs:element></xs:sequence></xs:complexType>
  <xs:element name="NotificationMessage" type="n:NotificationMessageHolderType"/>
  <xs:element name="CurrentTime" type="xs:dateTime"/>
  <xs:element name="TerminationTime" nillable="true" type="xs:dateTime"/>
  <xs:simpleType name="AbsoluteOrRelativeTimeType"><xs:union memberTypes="xs:dateTime xs:duration"/></xs:simpleType>
  <xs:element name="Notify"><xs:complexType><xs:sequence><xs:element ref="n:NotificationMessage" maxOccurs="unbounded"/>
    <xs:any namespace="##other" minOccurs="0" maxOccurs="unbounded" processContents="lax"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="UseRaw"><xs:complexType/></xs:element>
  <xs:element name="Subscribe"><xs:complexType><xs:sequence><xs:element name="ConsumerReference" type="a:EndpointReferenceType"/>
    <xs:element name="Filter" type="n:FilterType" minOccurs="0"/>
    <xs:element name="InitialTerminationTime" type="n:AbsoluteOrRelativeTimeType" nillable="true" minOccurs="0"/>
    <xs:element name="SubscriptionPolicy" minOccurs="0"><xs:complexType><xs:sequence>
      <xs:any namespace="##any" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="SubscribeResponse"><xs:complexType><xs:sequence>
    <xs:element name="SubscriptionReference" type="a:EndpointReferenceType"/><xs:element ref="n:CurrentTime" minOccurs="0"/>
    <xs:element ref="n:TerminationTime" minOccurs="0"/>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="GetCurrentMessage"><xs:complexType><xs:sequence><xs:element name="Topic" type="n:TopicExpressionType"/>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="GetCurrentMessageResponse"><xs:complexType><xs:sequence>
    <xs:any namespace="##any" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
)"
    // A literal has a longest length.
    R"(
  <xs:complexType name="SubscribeCreationFailedFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/></xs:complexContent></xs:complexType>
  <xs:element name="SubscribeCreationFailedFault" type="n:SubscribeCreationFailedFaultType"/>
  <xs:complexType name="InvalidFilterFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"><xs:sequence>
    <xs:element name="UnknownFilter" type="xs:QName" maxOccurs="unbounded"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:element name="InvalidFilterFault" type="n:InvalidFilterFaultType"/>
  <xs:complexType name="TopicExpressionDialectUnknownFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/></xs:complexContent></xs:complexType>
  <xs:element name="TopicExpressionDialectUnknownFault" type="n:TopicExpressionDialectUnknownFaultType"/>
  <xs:complexType name="InvalidTopicExpressionFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/></xs:complexContent></xs:complexType>
  <xs:element name="InvalidTopicExpressionFault" type="n:InvalidTopicExpressionFaultType"/>
  <xs:complexType name="TopicNotSupportedFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/></xs:complexContent></xs:complexType>
  <xs:element name="TopicNotSupportedFault" type="n:TopicNotSupportedFaultType"/>
  <xs:complexType name="MultipleTopicsSpecifiedFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/></xs:complexContent></xs:complexType>
  <xs:element name="MultipleTopicsSpecifiedFault" type="n:MultipleTopicsSpecifiedFaultType"/>
  <xs:complexType name="InvalidProducerPropertiesExpressionFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/></xs:complexContent></xs:complexType>
  <xs:element name="InvalidProducerPropertiesExpressionFault" type="n:InvalidProducerPropertiesExpressionFaultType"/>
  <xs:complexType name="InvalidMessageContentExpressionFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/></xs:complexContent></xs:complexType>
  <xs:element name="InvalidMessageContentExpressionFault" type="n:InvalidMessageContentExpressionFaultType"/>
  <xs:complexType name="UnrecognizedPolicyRequestFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"><xs:sequence>
    <xs:element name="UnrecognizedPolicy" type="xs:QName" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:element name="UnrecognizedPolicyRequestFault" type="n:UnrecognizedPolicyRequestFaultType"/>
  <xs:complexType name="UnsupportedPolicyRequestFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"><xs:sequence>
    <xs:element name="UnsupportedPolicy" type="xs:QName" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:element name="UnsupportedPolicyRequestFault" type="n:UnsupportedPolicyRequestFaultType"/>
  <xs:complexType name="NotifyMessageNotSupportedFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/></xs:complexContent></xs:complexType>
  <xs:element name="NotifyMessageNotSupportedFault" type="n:NotifyMessageNotSupportedFaultType"/>
  <xs:complexType name="UnacceptableInitialTerminationTimeFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"><xs:sequence>
    <xs:element name="MinimumTime" type="xs:dateTime"/><xs:element name="MaximumTime" type="xs:dateTime" minOccurs="0"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:element name="UnacceptableInitialTerminationTimeFault" type="n:UnacceptableInitialTerminationTimeFaultType"/>
  <xs:complexType name="NoCurrentMessageOnTopicFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/></xs:complexContent></xs:complexType>
  <xs:element name="NoCurrentMessageOnTopicFault" type="n:NoCurrentMessageOnTopicFaultType"/>
  <xs:complexType name="UnacceptableTerminationTimeFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"><xs:sequence>
    <xs:element name="MinimumTime" type="xs:dateTime"/><xs:element name="MaximumTime" type="xs:dateTime" minOccurs="0"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:element name="UnacceptableTerminationTimeFault" type="n:UnacceptableTerminationTimeFaultType"/>
  <xs:complexType name="UnableToDestroySubscriptionFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/></xs:complexContent></xs:complexType>
  <xs:element name="UnableToDestroySubscriptionFault" type="n:UnableToDestroySubscriptionFaultType"/>
  <xs:complexType name="UnableToGetMessagesFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/></xs:complexContent></xs:complexType>
  <xs:element name="UnableToGetMessagesFault" type="n:UnableToGetMessagesFaultType"/>
  <xs:complexType name="UnableToCreatePullPointFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/></xs:complexContent></xs:complexType>
  <xs:element name="UnableToCreatePullPointFault" type="n:UnableToCreatePullPointFaultType"/>
  <xs:complexType name="UnableToDestroyPullPointFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/></xs:complexContent></xs:complexType>
  <xs:element name="UnableToDestroyPullPointFault" type="n:UnableToDestroyPullPointFaultType"/>
  <xs:complexType name="PauseFailedFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/></xs:complexContent></xs:complexType>
  <xs:element name="PauseFailedFault" type="n:PauseFailedFaultType"/>
  <xs:complexType name="ResumeFailedFaultType"><xs:complexContent><xs:extension base="b:BaseFaultType"/></xs:complexContent></xs:complexType>
  <xs:element name="ResumeFailedFault" type="n:ResumeFailedFaultType"/>
)"
    R"(
  <xs:element name="GetMessages"><xs:complexType><xs:sequence><xs:element name="MaximumNumber" type="xs:nonNegativeInteger" minOccurs="0"/>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType></xs:element>
  <xs:element name="GetMessagesResponse"><xs:complexType><xs:sequence>
    <xs:element ref="n:NotificationMessage" minOccurs="0" maxOccurs="unbounded"/>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType></xs:element>
  <xs:element name="DestroyPullPoint"><xs:complexType><xs:sequence>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType></xs:element>
  <xs:element name="DestroyPullPointResponse"><xs:complexType><xs:sequence>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType></xs:element>
  <xs:element name="CreatePullPoint"><xs:complexType><xs:sequence>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType></xs:element>
  <xs:element name="CreatePullPointResponse"><xs:complexType><xs:sequence><xs:element name="PullPoint" type="a:EndpointReferenceType"/>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType></xs:element>
  <xs:element name="Renew"><xs:complexType><xs:sequence>
    <xs:element name="TerminationTime" type="n:AbsoluteOrRelativeTimeType" nillable="true"/>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="RenewResponse"><xs:complexType><xs:sequence>
    <xs:element ref="n:TerminationTime"/><xs:element ref="n:CurrentTime" minOccurs="0"/>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="Unsubscribe"><xs:complexType><xs:sequence>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="UnsubscribeResponse"><xs:complexType><xs:sequence>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="PauseSubscription"><xs:complexType><xs:sequence>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="PauseSubscriptionResponse"><xs:complexType><xs:sequence>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="ResumeSubscription"><xs:complexType><xs:sequence>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="ResumeSubscriptionResponse"><xs:complexType><xs:sequence>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
</xs:schema>
)";

}  // namespace importer::schemas

#endif
