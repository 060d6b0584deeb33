// xmlsec1's library on messages that are signed: signed_xmlsec run KEYS FOLDER ROUNDS MILLISECONDS
// | write KEYS FOLDER TO
//
// It knows signatures and no SOAP: to verify is to parse, to find the ids, to trust the certificate
// and to check; nothing is decoded, and what is signed is not looked for. To sign is to parse what
// would be encoded, with a template of the signature in it, to fill that and to write the text.
#include <libxml/parser.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <xmlsec/crypto.h>
#include <xmlsec/openssl/evp.h>
#include <xmlsec/xmldsig.h>
#include <xmlsec/xmlsec.h>
#include <xmlsec/xmltree.h>

#include <map>

#include "signed.hpp"

namespace {

const xmlChar* xml(const char* text) { return reinterpret_cast<const xmlChar*>(text); }

/// The text without the content of some elements.
std::string emptied(std::string text, const std::string& name) {
  const std::string begin = "<" + name + ">", end = "</" + name + ">";
  for (std::size_t at = 0; (at = text.find(begin, at)) != text.npos;) {
    at += begin.size();
    text.erase(at, text.find(end, at) - at);
  }
  return text;
}

class Signatures {
public:
  explicit Signatures(const std::string& keys) : trusted_(X509_STORE_new()) {
    if (X509_STORE_load_file(trusted_, (keys + "/authority.pem").c_str()) != 1)
      bench::give_up("no authority");
    key_ = xmlSecCryptoAppKeyLoad(
        (keys + "/caller.key").c_str(), xmlSecKeyDataFormatPem, nullptr, nullptr, nullptr);
    if (!key_) bench::give_up("no key");
  }

  void verify(const std::string& message) {
    const xmlDocPtr document = parse(message);
    const xmlNodePtr root = xmlDocGetRootElement(document);
    xmlSecDSigCtx check;
    if (xmlSecDSigCtxInitialize(&check, nullptr) != 0) bench::give_up("xmlsec1");
    check.signKey = key_of(root);
    if (xmlSecDSigCtxVerify(&check, signature(root)) != 0 ||
        check.status != xmlSecDSigStatusSucceeded)
      bench::give_up("xmlsec1 does not verify");
    xmlSecDSigCtxFinalize(&check);
    xmlFreeDoc(document);
  }

  std::string sign(const std::string& unsigned_text) {
    const xmlDocPtr document = parse(unsigned_text);
    xmlSecDSigCtx made;
    if (xmlSecDSigCtxInitialize(&made, nullptr) != 0) bench::give_up("xmlsec1");
    made.signKey = xmlSecKeyDuplicate(key_);
    if (xmlSecDSigCtxSign(&made, signature(xmlDocGetRootElement(document))) != 0)
      bench::give_up("xmlsec1 does not sign");
    xmlSecDSigCtxFinalize(&made);
    xmlChar* text = nullptr;
    int size = 0;
    xmlDocDumpMemory(document, &text, &size);
    std::string written(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
    xmlFree(text);
    xmlFreeDoc(document);
    return written;
  }

private:
  static xmlDocPtr parse(const std::string& text) {
    const xmlDocPtr document = xmlReadMemory(
        text.data(), static_cast<int>(text.size()), nullptr, nullptr, XML_PARSE_NONET);
    if (!document) bench::give_up("no document");
    static const xmlChar* ids[] = {xml("Id"), nullptr};
    xmlSecAddIDs(document, xmlDocGetRootElement(document), ids);
    return document;
  }
  static xmlNodePtr signature(xmlNodePtr root) {
    const xmlNodePtr found = xmlSecFindNode(root, xmlSecNodeSignature, xmlSecDSigNs);
    if (!found) bench::give_up("no signature");
    return found;
  }

  /// That of the certificate in the message, which has to be trusted.
  xmlSecKeyPtr key_of(xmlNodePtr root) {
    const xmlNodePtr token = xmlSecFindNode(
        root,
        xml("BinarySecurityToken"),
        xml("http://docs.oasis-open.org/wss/2004/01/"
            "oasis-200401-wss-wssecurity-secext-1.0.xsd"));
    if (!token) bench::give_up("no token");
    xmlChar* const base64 = xmlNodeGetContent(token);
    const int size = xmlStrlen(base64);
    std::vector<unsigned char> der(static_cast<std::size_t>(size));
    int length = EVP_DecodeBlock(der.data(), base64, size);
    for (int at = size; at > 0 && base64[at - 1] == '='; --at)
      --length;
    xmlFree(base64);
    const unsigned char* at = der.data();
    X509* const certificate = d2i_X509(nullptr, &at, length);
    X509_STORE_CTX* const trust = X509_STORE_CTX_new();
    X509_STORE_CTX_init(trust, trusted_, certificate, nullptr);
    if (X509_verify_cert(trust) != 1) bench::give_up("not trusted");
    X509_STORE_CTX_free(trust);
    const xmlSecKeyDataPtr value = xmlSecOpenSSLEvpKeyAdopt(X509_get_pubkey(certificate));
    X509_free(certificate);
    const xmlSecKeyPtr key = xmlSecKeyCreate();
    xmlSecKeySetValue(key, value);
    return key;
  }

  X509_STORE* trusted_;
  xmlSecKeyPtr key_ = nullptr;
};

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if ((count != 6 || what != "run") && (count != 5 || what != "write")) return 2;
  xmlInitParser();
  if (xmlSecInit() < 0 || xmlSecCryptoAppInit(nullptr) < 0 || xmlSecCryptoInit() < 0)
    bench::give_up("xmlsec1 does not begin");
  Signatures all(arguments[2]);
  std::map<std::string, std::string> templates;
  for (const bench::signed_case& one : bench::signed_cases()) {
    const std::string text = bench::read_file(std::string(arguments[3]) + "/" + one.name + ".xml");
    templates[one.name] = emptied(emptied(text, "ds:DigestValue"), "ds:SignatureValue");
    if (what == "write")
      bench::write_file(
          std::string(arguments[4]) + "/" + one.name + ".xml", all.sign(templates[one.name]));
  }
  if (what == "write") return 0;
  const bench::effort with{
      std::max(1, std::atoi(arguments[4])), std::chrono::milliseconds(std::atoi(arguments[5]))};
  bench::measure_signatures(
      "xmlsec1",
      arguments[3],
      with,
      [&](const bench::signed_case& one) { all.sign(templates.at(one.name)); },
      [&](const bench::signed_case&, const std::string& message) { all.verify(message); });
}
