// What gSOAP's generator reads: the service of calls.cpp with the same names on the wire.

//gsoap p service name: Parrot
//gsoap p service namespace: urn:parrot
//gsoap p service style: document
//gsoap p service encoding: literal
//gsoap p schema namespace: urn:parrot
//gsoap p schema elementForm: qualified

int p__Say(char* Text 1, struct p__SayResponse { char* SayResult 1; }* response);
