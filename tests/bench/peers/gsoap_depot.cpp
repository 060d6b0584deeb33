// gsoap_depot codec ROUNDS MILLISECONDS SERIES | responses FOLDER
//
// The depot as gSOAP serves it, with the classes that its generators make from our WSDL. Each `get`
// answers with the argument of the first `put`. Built by `build_gsoap`.
#include "DepotSoap.nsmap"
#include "depot.hpp"
#include "gsoap_codec.hpp"

namespace {

const _depot__PutArticles* articles = nullptr;
const _depot__PutMoves* moves = nullptr;
const _depot__PutLoads* loads = nullptr;
const _depot__PutNotes* notes = nullptr;

template <class Request>
int keep(const Request*& kept, const Request* request, int count, int& result) {
  bench::handler_entered();
  if (!kept) kept = request;
  result = count;
  return SOAP_OK;
}

/// A context that keeps the argument of each `put`, until the end.
void fill() {
  static Codec keeper;
  for (const bench::codec_case& one : bench::depot_cases())
    if (std::string_view(one.name).find("-in") != std::string_view::npos)
      keeper.answer_and_keep(one);
}

}  // namespace

int __depot__PutArticles(
    soap*, _depot__PutArticles* request, _depot__PutArticlesResponse& response) {
  return keep(articles, request, request->__sizeArticle, response.PutArticlesResult);
}
int __depot__PutMoves(soap*, _depot__PutMoves* request, _depot__PutMovesResponse& response) {
  return keep(moves, request, request->__sizeMove, response.PutMovesResult);
}
int __depot__PutLoads(soap*, _depot__PutLoads* request, _depot__PutLoadsResponse& response) {
  return keep(loads, request, request->__sizeLoad, response.PutLoadsResult);
}
int __depot__PutNotes(soap*, _depot__PutNotes* request, _depot__PutNotesResponse& response) {
  return keep(notes, request, request->__sizeNote, response.PutNotesResult);
}
int __depot__GetArticles(soap*, _depot__GetArticles*, _depot__GetArticlesResponse& response) {
  bench::handler_entered();
  response.__sizeArticle = articles->__sizeArticle;
  response.Article = articles->Article;
  return SOAP_OK;
}
int __depot__GetMoves(soap*, _depot__GetMoves*, _depot__GetMovesResponse& response) {
  bench::handler_entered();
  response.__sizeMove = moves->__sizeMove;
  response.Move = moves->Move;
  return SOAP_OK;
}
int __depot__GetLoads(soap*, _depot__GetLoads*, _depot__GetLoadsResponse& response) {
  bench::handler_entered();
  response.__sizeLoad = loads->__sizeLoad;
  response.Load = loads->Load;
  return SOAP_OK;
}
int __depot__GetNotes(soap*, _depot__GetNotes*, _depot__GetNotesResponse& response) {
  bench::handler_entered();
  response.__sizeNote = notes->__sizeNote;
  response.Note = notes->Note;
  return SOAP_OK;
}

int main(int count, char** arguments) {
  const std::string_view what = count > 1 ? arguments[1] : "";
  if (what == "codec" && count == 5) {
    fill();
    measure_all(
        bench::depot_cases(),
        arguments[4],
        {std::max(1, std::atoi(arguments[2])), std::chrono::milliseconds(std::atoi(arguments[3]))});
  } else if (what == "responses" && count == 3) {
    fill();
    write_responses(bench::depot_cases(), arguments[2]);
  } else {
    std::fprintf(stderr, "gsoap_depot codec ROUNDS MS SERIES | responses FOLDER\n");
    return 2;
  }
}
