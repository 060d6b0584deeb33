// What gSOAP's generator reads: the example's services with the same names on the wire. Pointers to
// char rather than std::string and arrays rather than std::vector: the quicker choice with gSOAP.

//gsoap e service name: EmployeeService
//gsoap e service namespace: https://payroll.example.com/soap/v3/EmployeeService
//gsoap e service style: document
//gsoap e service encoding: literal
//gsoap e schema namespace: https://payroll.example.com/soap/v3/EmployeeService
//gsoap e schema elementForm: qualified

enum e__AddressType {
    HomeAddress,
    PostAddress,
    AbsenceAddress,
    HolidaysAddress,
    WeekendAddress,
    WorkAddress
};

struct e__EmployeeAddress {
    int Id 0:1;
    bool Default 0:1;
    char* Street 0;
    char* HouseNumber 0;
    char* HouseNumberAddition 0;
    char* PostalCode 0;
    char* City 0;
    char* StateProvince 0;
    char* CountryISOCode 0;
    enum e__AddressType Type 1;
};

struct e__ArrayOfEmployeeAddress {
    int __sizeEmployeeAddress;
    struct e__EmployeeAddress* EmployeeAddress;
};

struct e__AuthHeaderWithDomain {
    char* Username 0;
    char* Token 0;
    char* Domain 0;
};

struct d__AuthHeaderWithDomain {
    char* Username 0;
    char* Token 0;
    char* Domain 0;
};

struct SOAP_ENV__Header {
    struct e__AuthHeaderWithDomain* e__AuthHeaderWithDomain;
    struct d__AuthHeaderWithDomain* d__AuthHeaderWithDomain;
};

//gsoap e service method-header-part: Address_USCOREGetListCurrent e__AuthHeaderWithDomain
int e__Address_USCOREGetListCurrent(
    int EmployeeId,
    struct e__Address_USCOREGetListCurrentResponse {
        struct e__ArrayOfEmployeeAddress* Address_USCOREGetListCurrentResult 0;
    }* response);

//gsoap e service method-header-part: Address_USCOREInsertCurrent e__AuthHeaderWithDomain
int e__Address_USCOREInsertCurrent(
    int EmployeeId,
    struct e__EmployeeAddress* Address 0,
    struct e__Address_USCOREInsertCurrentResponse {
        int Address_USCOREInsertCurrentResult 1;
    }* response);

//gsoap e service method-header-part: Address_USCOREInsertMany e__AuthHeaderWithDomain
int e__Address_USCOREInsertMany(
    int EmployeeId,
    int __sizeAddress,
    struct e__EmployeeAddress* Address,
    struct e__Address_USCOREInsertManyResponse {
        int Address_USCOREInsertManyResult 1;
    }* response);

//gsoap d service name: DebtorService
//gsoap d service namespace: https://payroll.example.com/soap/v3/DebtorService
//gsoap d service style: document
//gsoap d service encoding: literal
//gsoap d schema namespace: https://payroll.example.com/soap/v3/DebtorService
//gsoap d schema elementForm: qualified

struct d__Event {
    int EventId 1;
    char* EventName 0;
    bool Active 1;
};

struct d__WebhookSetting {
    int WebhookSettingId 1;
    char* Name 0;
    char* Endpoint 0;
    bool Active 1;
    int __sizeEvent;
    struct d__Event* Event;
};

struct d__ArrayOfWebhookSetting {
    int __sizeWebhookSetting;
    struct d__WebhookSetting* WebhookSetting;
};

//gsoap d service method-header-part: WebhookSettings_USCOREGet d__AuthHeaderWithDomain
int d__WebhookSettings_USCOREGet(
    int DebtorId,
    struct d__WebhookSettings_USCOREGetResponse {
        struct d__ArrayOfWebhookSetting* WebhookSettings_USCOREGetResult 0;
    }* response);

//gsoap s service name: SingleSignOn
//gsoap s service namespace: https://payroll.example.com/soap/v3/SingleSignOn
//gsoap s service style: document
//gsoap s service encoding: literal
//gsoap s schema namespace: https://payroll.example.com/soap/v3/SingleSignOn
//gsoap s schema elementForm: qualified

int s__GetToken(
    char* Username 0,
    char* Password 0,
    struct s__GetTokenResponse {
        char* GetTokenResult 0;
    }* response);

int s__GetToken2(
    char* Username 0,
    char* Token 0,
    struct s__GetToken2Response {
        char* GetToken2Result 0;
    }* response);

int s__GetTokenWithDomain(
    char* Username 0,
    char* Password 0,
    char* Domain 0,
    struct s__GetTokenWithDomainResponse {
        char* GetTokenWithDomainResult 0;
    }* response);

// Not the example's: for callers beside, and for files. Its own type for base64.
//gsoap a service name: Addresses
//gsoap a service namespace: https://payroll.example.com/soap/v3/Addresses
//gsoap a service style: document
//gsoap a service encoding: literal
//gsoap a schema namespace: https://payroll.example.com/soap/v3/Addresses
//gsoap a schema elementForm: qualified

struct xsd__base64Binary {
    unsigned char* __ptr;
    int __size;
};

int a__Put(
    struct xsd__base64Binary Bytes 1,
    struct a__PutResponse {
        int PutResult 1;
    }* response);

int a__Get(
    int Bytes 1,
    struct a__GetResponse {
        struct xsd__base64Binary GetResult 1;
    }* response);

int a__Wait(
    int Milliseconds 1,
    struct a__WaitResponse {
        int WaitResult 1;
    }* response);
