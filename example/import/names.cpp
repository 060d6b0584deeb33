#include "names.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <tuple>

namespace importer {

namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; }
char upper(char c) { return is_lower(c) ? static_cast<char>(c - 32) : c; }

/// Replaces Latin-1 letters by their usual ASCII spelling, and other letters by their number.
std::string in_ascii(std::string_view text) {
  static const std::map<char32_t, const char*> known{
      {0xC4, "Ae"}, {0xD6, "Oe"}, {0xDC, "Ue"}, {0xE4, "ae"}, {0xF6, "oe"}, {0xFC, "ue"},
      {0xDF, "ss"}, {0xC6, "Ae"}, {0xE6, "ae"}, {0xD8, "Oe"}, {0xF8, "oe"}, {0xC5, "Aa"},
      {0xE5, "aa"}, {0xC0, "A"},  {0xC1, "A"},  {0xC2, "A"},  {0xC3, "A"},  {0xC7, "C"},
      {0xC8, "E"},  {0xC9, "E"},  {0xCA, "E"},  {0xCB, "E"},  {0xCC, "I"},  {0xCD, "I"},
      {0xCE, "I"},  {0xCF, "I"},  {0xD1, "N"},  {0xD2, "O"},  {0xD3, "O"},  {0xD4, "O"},
      {0xD5, "O"},  {0xD9, "U"},  {0xDA, "U"},  {0xDB, "U"},  {0xDD, "Y"},  {0xE0, "a"},
      {0xE1, "a"},  {0xE2, "a"},  {0xE3, "a"},  {0xE7, "c"},  {0xE8, "e"},  {0xE9, "e"},
      {0xEA, "e"},  {0xEB, "e"},  {0xEC, "i"},  {0xED, "i"},  {0xEE, "i"},  {0xEF, "i"},
      {0xF1, "n"},  {0xF2, "o"},  {0xF3, "o"},  {0xF4, "o"},  {0xF5, "o"},  {0xF9, "u"},
      {0xFA, "u"},  {0xFB, "u"},  {0xFD, "y"},  {0xFF, "y"}};
  std::string made;
  while (!text.empty()) {
    const auto c = soapsvc::detail::decode_utf8(text);
    const std::size_t length = std::max(1U, c.length);
    if (c.value < 0x80 && c.length == 1) {
      made += text.front();
    } else if (const auto letter = known.find(c.value); letter != known.end()) {
      made += letter->second;
    } else {
      char number[16];
      std::snprintf(number, sizeof number, "u%04x", static_cast<unsigned>(c.value));
      made += number;
    }
    text.remove_prefix(length);
  }
  return made;
}

/// Keywords of C++, and other names that it reserves.
constexpr std::string_view taken_in_cpp[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char8_t",
    "char16_t",
    "char32_t",
    "class",
    "compl",
    "concept",
    "const",
    "consteval",
    "constexpr",
    "constinit",
    "const_cast",
    "continue",
    "co_await",
    "co_return",
    "co_yield",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    // Names that each struct needs.
    "soapsvc",
    "std"};

/// Macros of the headers that soapsvc.hpp includes, with g++ 12 and clang 14 on Debian 12. Listed
/// are those that could be names of members or types.
constexpr std::string_view macros =
    " "
    "alloca assert assert_perror be16toh be32toh be64toh errno get_rfc2409_prime_1024 "
    "get_rfc2409_prime_768 get_rfc3526_prime_1536 get_rfc3526_prime_2048 get_rfc3526_prime_3072 "
    "get_rfc3526_prime_4096 get_rfc3526_prime_6144 get_rfc3526_prime_8192 gzgetc h_addr h_errno "
    "hex_to_string htobe16 htobe32 htobe64 htole16 htole32 htole64 htonl htons "
    "int_implement_lhash_doall issubnormal le16toh le32toh le64toh lh_delete lh_doall "
    "lh_doall_arg lh_error lh_free lh_insert lh_new lh_node_stats lh_node_stats_bio "
    "lh_node_usage_stats lh_node_usage_stats_bio lh_num_items lh_retrieve lh_stats lh_stats_bio "
    "lh_strhash linux major makedev math_errhandling minor ntohl ntohs offsetof ossl_inline "
    "ossl_noreturn ossl_ssize_t ossl_unused pthread_cleanup_pop pthread_cleanup_pop_restore_np "
    "pthread_cleanup_push pthread_cleanup_push_defer_np s6_addr s6_addr16 s6_addr32 sa_handler "
    "sa_sigaction sched_priority si_addr si_addr_lsb si_arch si_band si_call_addr si_fd si_int "
    "si_lower si_overrun si_pid si_pkey si_ptr si_status si_stime si_syscall si_timerid si_uid "
    "si_upper si_utime si_value sigev_notify_attributes sigev_notify_function sigmask "
    "sk_deep_copy sk_delete sk_delete_ptr sk_dup sk_find sk_find_ex sk_free sk_insert "
    "sk_is_sorted sk_new sk_new_null sk_num sk_pop sk_pop_free sk_push sk_set sk_set_cmp_func "
    "sk_shift sk_sort sk_unshift sk_value sk_void_deep_copy sk_void_delete sk_void_delete_ptr "
    "sk_void_dup sk_void_find sk_void_find_all sk_void_find_ex sk_void_free sk_void_insert "
    "sk_void_is_sorted sk_void_new sk_void_new_null sk_void_new_reserve sk_void_num sk_void_pop "
    "sk_void_pop_free sk_void_push sk_void_reserve sk_void_set sk_void_set_cmp_func "
    "sk_void_shift sk_void_sort sk_void_unshift sk_void_value sk_void_zero sk_zero st_atime "
    "st_ctime st_mtime stderr stdin stdout strdupa string_to_hex strndupa timeradd timerclear "
    "timercmp timerisset timersub ub_common_name ub_email_address ub_locality_name ub_name "
    "ub_organization_name ub_organization_unit_name ub_state_name ub_title unix va_arg va_copy "
    "va_end va_start z_const z_off64_t z_off_t zlib_version "
    "ACCESSPERMS ALLPERMS ASN1err ASYNCerr BIOerr BNerr BUFSIZ BUFerr CBRK CDISCARD CDSUSP CEOF "
    "CEOL CEOT CERASE CFLUSH CINTR CKILL CLNEXT CMIN CMPerr CMSerr COMPerr CONFerr CQUIT "
    "CREPRINT CRMFerr CRPRNT CRYPTOerr CSIGNAL CSTART CSTATUS CSTOP CSUSP CTIME CTRL CTerr "
    "CWERASE DEFFILEMODE DHerr DOMAIN DSAerr DSOerr E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV "
    "EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD EBADMSG EBADR EBADRQC EBADSLT EBFONT EBUSY "
    "ECANCELED ECDHerr ECDSAerr ECHILD ECHRNG ECOMM ECONNABORTED ECONNREFUSED ECONNRESET ECerr "
    "EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN "
    "EHOSTUNREACH EHWPOISON EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR EISNAM "
    "EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD "
    "ELIBEXEC ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP "
    "ENAMETOOLONG ENAVAIL ENETDOWN ENETRESET ENETUNREACH ENFILE ENGINEerr ENOANO ENOBUFS ENOCSI "
    "ENODATA ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG "
    "ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM "
    "ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ ENXIO EOF EOPNOTSUPP EOVERFLOW EOWNERDEAD "
    "EPERM EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE EREMCHG EREMOTE "
    "EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT ESSerr "
    "ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EVPerr "
    "EWOULDBLOCK EXDEV EXFULL FAPPEND FAR FASYNC FFSYNC FIOASYNC FIOCLEX FIOGETOWN FIONBIO "
    "FIONCLEX FIONREAD FIOQSIZE FIOSETOWN FIPSerr FNDELAY FNONBLOCK HMACerr HTTPerr INFINITY "
    "KDFerr MAXFLOAT MINSIGSTKSZ NAN NCC NFDBITS NGREG NSIG NULL NZERO OBJerr OCSPerr OF "
    "OVERFLOW OpenSSLDie PEMerr PKCS12err PKCS7err PROPerr PROVerr RANDerr RSAerr SIOGIFINDEX "
    "SM2err SNAN SNANF SNANF128 SNANF32 SNANF32X SNANF64 SNANF64X SNANL SOMAXCONN SSLeay SSLerr "
    "STDC SYSerr TCFLSH TCGETA TCGETS TCGETS2 TCGETX TCSBRK TCSBRKP TCSETA TCSETAF TCSETAW "
    "TCSETS TCSETS2 TCSETSF TCSETSF2 TCSETSW TCSETSW2 TCSETX TCSETXF TCSETXW TCXONC TIOCCBRK "
    "TIOCCONS TIOCEXCL TIOCGDEV TIOCGETD TIOCGEXCL TIOCGICOUNT TIOCGISO7816 TIOCGLCKTRMIOS "
    "TIOCGPGRP TIOCGPKT TIOCGPTLCK TIOCGPTN TIOCGPTPEER TIOCGRS485 TIOCGSERIAL TIOCGSID "
    "TIOCGSOFTCAR TIOCGWINSZ TIOCINQ TIOCLINUX TIOCMBIC TIOCMBIS TIOCMGET TIOCMIWAIT TIOCMSET "
    "TIOCNOTTY TIOCNXCL TIOCOUTQ TIOCPKT TIOCSBRK TIOCSCTTY TIOCSERCONFIG TIOCSERGETLSR "
    "TIOCSERGETMULTI TIOCSERGSTRUCT TIOCSERGWILD TIOCSERSETMULTI TIOCSERSWILD TIOCSETD TIOCSIG "
    "TIOCSISO7816 TIOCSLCKTRMIOS TIOCSPGRP TIOCSPTLCK TIOCSRS485 TIOCSSERIAL TIOCSSOFTCAR "
    "TIOCSTI TIOCSWINSZ TIOCVHANGUP TSerr UIerr UNDERFLOW WCONTINUED WEOF WEXITED WEXITSTATUS "
    "WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED WNOHANG WNOWAIT WSTOPPED WSTOPSIG WTERMSIG "
    "WUNTRACED X509V3err X509err ZEXPORT ZEXPORTVA ZEXTERN ";

/// Functions, types and variables of C, OpenSSL and zlib, which are outside of all namespaces, in
/// the headers that soapsvc.hpp includes, as Debian 12 has them. See `is_global`.
constexpr std::string_view globals =
    " "
    "a64l abort abs accept accept4 access acct acos acosh addrinfo adjtime adler32 "
    "adler32_combine adler32_combine64 adler32_z alarm aligned_alloc arc4random arc4random_buf "
    "arc4random_uniform asctime asin asinh asprintf at_quick_exit atan atan2 atanh atexit atof "
    "atoi atol basename bcmp bcopy bignum_ctx bind bindresvport bindresvport6 brk bsearch btowc "
    "bzero calloc canonicalize canonicalize_file_name cbrt ceil charf chdir chmod chown chroot "
    "clearenv clearerr clock clock_adjtime clock_getcpuclockid clock_getres clock_gettime "
    "clock_nanosleep clock_settime clone close close_range closefrom cmsghdr compress compress2 "
    "confstr connect copy_file_range copysign cos cosh crc32 crc32_combine crc32_combine64 "
    "crc32_combine_gen crc32_combine_gen64 crc32_combine_op crc32_z creat creat64 crypt ctermid "
    "ctime cuserid d2i_of_void daddl daemon daylight ddivl deflate dfmal dh_method difftime div "
    "dmull dprintf drand48 drand48_data drem dsa_method dsqrtl dsubl dup dup2 dup3 duplocale "
    "dysize eaccess ecvt endhostent endnetent endnetgrent endprotoent endrpcent endservent "
    "endusershell environ erand48 erf erfc euidaccess eventfd eventfd_read eventfd_write execl "
    "execle execlp execv execve execveat execvp execvpe exit exp exp10 exp2 explicit_bzero expm1 "
    "f_owner_ex fabs faccessat fadd fallocate fallocate64 fchdir fchmod fchmodat fchown fchownat "
    "fclose fcloseall fcntl fcntl64 fcvt fd_mask fd_set fdatasync fdim fdiv fdopen feof ferror "
    "fexecve fflush ffma ffs fgetc fgetpos fgetpos64 fgets fgetwc fgetws file_handle fileno "
    "finite flock flock64 flockfile floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num "
    "fmaximum_num fmaxmag fmemopen fmin fminimum fminimum_mag fminimum_mag_num fminimum_num "
    "fminmag fmod fmul fopen fopen64 fopencookie fork fpathconf fprintf fputc fputs fputwc fputws "
    "fread free freeaddrinfo freelocale freopen freopen64 frexp fromfp fromfpx fscanf fseek "
    "fseeko fseeko64 fsetpos fsetpos64 fsqrt fstat fstat64 fstatat fstatat64 fsub fsync ftell "
    "ftello ftello64 ftruncate ftruncate64 ftrylockfile funlockfile futimens futimes futimesat "
    "fwide fwprintf fwrite fwscanf gai_cancel gai_error gai_strerror gai_suspend gaicb gamma gcvt "
    "get_crc_table get_current_dir_name getaddrinfo getaddrinfo_a getc getchar getcpu getcwd "
    "getdate getdate_err getdelim getdomainname getdtablesize getegid getentropy getenv geteuid "
    "getgid getgroups gethostbyaddr gethostbyname gethostbyname2 gethostent gethostid gethostname "
    "getipv4sourcefilter getitimer getline getloadavg getlogin getnameinfo getnetbyaddr "
    "getnetbyname getnetent getnetgrent getopt getpagesize getpass getpayload getpeername getpgid "
    "getpgrp getpid getppid getpriority getprotobyname getprotobynumber getprotoent getpt "
    "getresgid getresuid getrlimit getrlimit64 getrpcbyname getrpcbynumber getrpcent getrusage "
    "getservbyname getservbyport getservent getsid getsockname getsockopt getsourcefilter "
    "getsubopt gettid gettimeofday getuid getumask getusershell getw getwc getwchar getwd gmtime "
    "grantpt group_filter group_member group_req group_source_req gsignal gz_header gz_header_s "
    "gz_headerp gzbuffer gzclearerr gzclose gzclose_w gzdirect gzdopen gzeof gzerror gzflush "
    "gzfread gzfwrite gzgetc_ gzgets gzoffset gzoffset64 gzopen gzopen64 gzprintf gzputc gzputs "
    "gzread gzrewind gzseek gzseek64 gzsetparams gztell gztell64 gzungetc gzvprintf gzwrite "
    "herror hostent hstrerror hypot i2d_of_void ilogb in6_addr in6_pktinfo in6addr_any "
    "in6addr_loopback in_addr in_pktinfo index inflate initstate innetgr internal_state intf "
    "ioctl iovec ip6_mtuinfo ip_mreq ip_mreq_source ip_mreqn ip_msfilter ip_opts ipv6_mreq "
    "iruserok iruserok_af isalnum isalnum_l isalpha isalpha_l isascii isatty isblank isblank_l "
    "iscanonical iscntrl iscntrl_l isctype isdigit isdigit_l iseqsig isfdtype isgraph isgraph_l "
    "isinff isinfl islower islower_l isnanf isnanl isprint isprint_l ispunct ispunct_l "
    "issignaling isspace isspace_l isupper isupper_l iswalnum iswalnum_l iswalpha iswalpha_l "
    "iswblank iswblank_l iswcntrl iswcntrl_l iswctype iswctype_l iswdigit iswdigit_l iswgraph "
    "iswgraph_l iswlower iswlower_l iswprint iswprint_l iswpunct iswpunct_l iswspace iswspace_l "
    "iswupper iswupper_l iswxdigit iswxdigit_l isxdigit isxdigit_l iszero itimerspec itimerval j0 "
    "j1 jn jrand48 kill killpg l64a labs lchmod lchown lcong48 lconv ldexp ldiv lgamma linger "
    "link linkat listen llabs lldiv llogb llrint llround localeconv localtime lockf log log10 "
    "log1p log2 logb lrand48 lrint lround lseek lseek64 lstat lstat64 lutimes madvise malloc "
    "mblen mbrlen mbrtowc mbsinit mbsnrtowcs mbsrtowcs mbstowcs mbtowc memccpy memchr memcmp "
    "memcpy memfd_create memfrob memmem memmove mempcpy memrchr memset mincore mkdir mkdirat "
    "mkdtemp mkfifo mkfifoat mknod mknodat mkostemp mkostemp64 mkostemps mkostemps64 mkstemp "
    "mkstemp64 mkstemps mkstemps64 mktemp mktime mlock mlock2 mlockall mmap mmap64 mmsghdr modf "
    "mprotect mrand48 mremap msghdr msync munlock munlockall munmap name_to_handle_at nan "
    "nanosleep nearbyint netent newlocale nextafter nextdown nexttoward nextup nice nrand48 "
    "obstack obstack_printf obstack_vprintf on_exit open open64 open_by_handle_at open_memstream "
    "open_wmemstream openat openat64 openssl_ssl_test_functions optarg opterr optind optopt "
    "osockaddr pathconf pause pclose perror pipe pipe2 pkey_alloc pkey_free pkey_get "
    "pkey_mprotect pkey_set poll pollfd popen posix_fadvise posix_fadvise64 posix_fallocate "
    "posix_fallocate64 posix_madvise posix_memalign posix_openpt pow ppoll pread pread64 preadv "
    "preadv2 preadv64 preadv64v2 printf prlimit prlimit64 process_madvise process_mrelease "
    "process_vm_readv process_vm_writev profil program_invocation_name "
    "program_invocation_short_name protoent pselect psiginfo psignal ptsname putc putchar putenv "
    "puts putw putwc putwchar pwrite pwrite64 pwritev pwritev2 pwritev64 pwritev64v2 qecvt qfcvt "
    "qgcvt qsort quick_exit raise rand random random_data rawmemchr rcmd rcmd_af read readahead "
    "readlink readlinkat readv realloc reallocarray realpath recv recvfrom recvmmsg recvmsg "
    "remainder remap_file_pages remove remquo rename renameat renameat2 revoke rewind rexec "
    "rexec_af rindex rint rlimit rlimit64 rmdir round roundeven rpcent rpmatch rresvport "
    "rresvport_af rusage ruserok ruserok_af sbrk scalb scalbln scalbn scanf "
    "sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getcpu sched_getparam "
    "sched_getscheduler sched_param sched_rr_get_interval sched_setaffinity sched_setparam "
    "sched_setscheduler sched_yield secure_getenv seed48 select sem_clockwait sem_close "
    "sem_destroy sem_getvalue sem_init sem_open sem_post sem_timedwait sem_trywait sem_unlink "
    "sem_wait send sendmmsg sendmsg sendto servent setbuf setbuffer setdomainname setegid setenv "
    "seteuid setgid sethostent sethostid sethostname setipv4sourcefilter setitimer setlinebuf "
    "setlocale setlogin setnetent setnetgrent setns setpayload setpayloadsig setpgid setpgrp "
    "setpriority setprotoent setregid setresgid setresuid setreuid setrlimit setrlimit64 "
    "setrpcent setservent setsid setsockopt setsourcefilter setstate settimeofday setuid "
    "setusershell setvbuf shm_open shm_unlink shutdown sigabbrev_np sigaction sigaddset "
    "sigaltstack sigandset sigblock sigcontext sigdelset sigdescr_np sigemptyset sigevent "
    "sigfillset siggetmask sighold sigignore siginterrupt sigisemptyset sigismember signal "
    "signgam significand sigorset sigpause sigpending sigprocmask sigqueue sigrelse sigreturn "
    "sigset sigsetmask sigstack sigsuspend sigtimedwait sigval sigwait sigwaitinfo sin sincos "
    "sinh sk_void_compfunc sk_void_copyfunc sk_void_freefunc sleep snprintf sockaddr sockaddr_in "
    "sockaddr_in6 sockaddr_storage sockaddr_un sockatmark socket socketpair splice sprintf sqrt "
    "srand srand48 srandom sscanf ssignal stack_st_void stat stat64 statx statx_timestamp stpcpy "
    "stpncpy strcasecmp strcasecmp_l strcasestr strcat strchr strchrnul strcmp strcoll strcoll_l "
    "strcpy strcspn strdup strerror strerror_l strerrordesc_np strerrorname_np strfromd strfromf "
    "strfroml strfry strftime strftime_l strlen strncasecmp strncasecmp_l strncat strncmp strncpy "
    "strndup strnlen strpbrk strptime strptime_l strrchr strsep strsignal strspn strstr strtod "
    "strtod_l strtof strtof_l strtok strtol strtol_l strtold strtold_l strtoll_l strtoq strtoul "
    "strtoul_l strtoull_l strtouq strverscmp strxfrm strxfrm_l swab swprintf swscanf symlink "
    "symlinkat sync sync_file_range syncfs syscall sysconf system sysv_signal tan tanh tcgetpgrp "
    "tcp_ca_state tcp_cookie_transactions tcp_info tcp_md5sig tcp_repair_opt tcp_repair_window "
    "tcp_seq tcp_zerocopy_receive tcphdr tcsetpgrp tee tempnam termio tgamma tgkill time timegm "
    "timelocal timer_create timer_delete timer_getoverrun timer_gettime timer_settime timespec "
    "timespec_get timespec_getres timeval timex timezone tm tmpfile tmpfile64 tmpnam toascii "
    "tolower tolower_l totalorder totalordermag toupper toupper_l towctrans towctrans_l towlower "
    "towlower_l towupper towupper_l trunc truncate truncate64 ttyname ttyslot tzname tzset u_char "
    "u_int u_long u_short ualarm ucred ufromfp ufromfpx uint ulong umask uncompress uncompress2 "
    "ungetc ungetwc unlink unlinkat unlockpt unsetenv unshare uselocale ushort usleep utimensat "
    "utimes v3_ext_ctx v3_ext_method va_list valloc vasprintf vdprintf vfork vfprintf vfscanf "
    "vfwprintf vfwscanf vhangup vmsplice voidp voidpc vprintf vscanf vsnprintf vsprintf vsscanf "
    "vswprintf vswscanf vwprintf vwscanf wcpcpy wcpncpy wcrtomb wcscasecmp wcscasecmp_l wcscat "
    "wcschr wcschrnul wcscmp wcscoll wcscoll_l wcscpy wcscspn wcsdup wcsftime wcsftime_l wcslen "
    "wcsncasecmp wcsncasecmp_l wcsncat wcsncmp wcsncpy wcsnlen wcsnrtombs wcspbrk wcsrchr "
    "wcsrtombs wcsspn wcsstr wcstod wcstod_l wcstof wcstof_l wcstok wcstol wcstol_l wcstold "
    "wcstold_l wcstoll_l wcstombs wcstoq wcstoul wcstoul_l wcstoull_l wcstouq wcswcs wcswidth "
    "wcsxfrm wcsxfrm_l wctob wctomb wctrans wctrans_l wctype wctype_l wcwidth winsize wmemchr "
    "wmemcmp wmemcpy wmemmove wmempcpy wmemset wprintf write writev wscanf y0 y1 yn z_stream "
    "z_stream_s z_streamp ";

bool has_word(std::string_view all, std::string_view word) {
  return all.find(' ' + std::string(word) + ' ') != all.npos;
}

bool is_macro(std::string_view name) {
  // Systems differ in the many names of signals and sockets.
  if (name.starts_with("SIG") || name.starts_with("SIOC") || name.starts_with("POLL") ||
      name.starts_with("EPOLL"))
    return std::none_of(name.begin(), name.end(), is_lower);
  return has_word(macros, name);
}

bool is_taken_in_cpp(std::string_view name) {
  return is_macro(name) || std::find(std::begin(taken_in_cpp), std::end(taken_in_cpp), name) !=
                               std::end(taken_in_cpp);
}

}  // namespace

bool is_global(std::string_view name) {
  for (const std::string_view each : {"_t", "_st", "_cb", "_func", "_fn", "_r", "_unlocked"})
    if (name.ends_with(each)) return true;
  for (const std::string_view each : {"pthread_", "epoll_", "evp_", "ossl_", "inet_", "inet6_"})
    if (name.starts_with(each)) return true;
  for (const std::string_view each : {"f32", "f64", "f128"})
    if (name.find(each) != name.npos) return true;
  // sinf and sinl are sin of a float and of a long double.
  const bool is_form = name.ends_with('f') || name.ends_with('l');
  return has_word(globals, name) || (is_form && has_word(globals, name.substr(0, name.size() - 1)));
}

std::string capitalised(std::string_view name) {
  std::string made(name);
  if (!made.empty()) made[0] = upper(made[0]);
  return made;
}

std::string type_name(std::string_view xml) {
  std::string made;
  bool capital = true;
  for (const char c : in_ascii(xml)) {
    if (!is_lower(c) && !is_upper(c) && !is_digit(c)) {
      capital = true;
      continue;
    }
    // Two numbers that a dot divided must not become one.
    if (capital && is_digit(c) && !made.empty() && is_digit(made.back())) made += '_';
    made += capital ? upper(c) : c;
    capital = false;
  }
  if (made.empty() || is_digit(made[0])) made = std::string("T").append(made);
  if (is_macro(made)) made += "Type";
  return made;
}

std::string value_name(std::string_view xml, std::string_view when_empty) {
  const std::string text = in_ascii(xml);
  std::string made;
  for (std::size_t at = 0; at != text.size(); ++at) {
    const char c = text[at];
    const bool in_word = is_lower(c) || is_upper(c) || is_digit(c);
    const char before = at == 0 ? '\0' : text[at - 1];
    const char after = at + 1 == text.size() ? '\0' : text[at + 1];
    const bool begins = is_upper(c) && (is_lower(before) || is_digit(before) ||
                                        (is_upper(before) && is_lower(after)));
    if ((!in_word || begins) && !made.empty() && made.back() != '_') made += '_';
    if (in_word) made += lower(c);
  }
  while (!made.empty() && made.back() == '_')
    made.pop_back();
  if (made.empty() || is_digit(made[0]))
    made = std::string(when_empty) + (made.empty() ? "" : "_") + made;
  if (is_taken_in_cpp(made)) made += '_';
  return made;
}

std::string Scope::unused(const std::string& name) {
  if (names_.insert(name).second) return name;
  const std::string stem = is_digit(name.back()) ? name + '_' : name;
  std::size_t& number = tried_.emplace(name, 1).first->second;
  std::string made;
  do
    made = stem + std::to_string(++number);
  while (!names_.insert(made).second);
  return made;
}

// --- Declarations --------------------------------------------------------------------------------

namespace {

/// The last meaningful word of a namespace: "urn:shop:types:v2" is Types.
std::string word_of(std::string_view ns) {
  std::string word;
  while (!ns.empty() && word.empty()) {
    const std::size_t cut = ns.find_last_of("/:#");
    const std::string_view last = cut == std::string_view::npos ? ns : ns.substr(cut + 1);
    const bool has_letter =
        std::any_of(last.begin(), last.end(), [](char c) { return is_lower(lower(c)); });
    if (has_letter && last.size() > 2) word = type_name(last);
    ns = cut == std::string_view::npos ? std::string_view() : ns.substr(0, cut);
  }
  return word;
}

/// The order in which declarations get a wanted name: first those of the service's namespace, then
/// those whose name needs no change.
auto rank(const Declaration& of, const std::string& common_ns) {
  return std::tuple(
      of.owner != nullptr,
      of.xml.ns != common_ns,
      type_name(of.wish) != of.wish,
      of.is_message,
      of.xml.local.empty(),
      of.kind,
      of.xml.ns,
      of.wish);
}

class Naming {
public:
  Naming(Tables& tables, const std::set<const Declaration*>& used) : tables_(tables) {
    for (Declaration& each : tables.declarations)
      if (used.contains(&each)) all_.push_back(&each);
    for (const Declaration* each : all_)
      if (each->kind == Declaration::Kind::enumeration)
        for (const EnumValue& value : each->values)
          enumerators_.insert(value_name(value.text));
    constants_.take(client_calls);
    sorted_ = all_;
    std::stable_sort(
        sorted_.begin(), sorted_.end(), [&](const Declaration* a, const Declaration* b) {
          return rank(*a, tables.common_ns) < rank(*b, tables.common_ns);
        });
  }

  void give() {
    name_types_in_xml();
    for (Class& each : tables_.classes)
      each.cpp = types_.unused(type_name(each.from->name));
    for (Declaration* each : sorted_)
      if (!each->owner) name_declaration(*each);
    name_parts();
    name_insides();
    for (Class& each : tables_.classes) {
      Scope methods;
      for (Method& method : each.methods)
        method.name = methods.unused(value_name(method.operation->name));
    }
  }

private:
  /// Gives XML names to types without a name, unique in their namespace. The table of a type
  /// without a namespace has the service's namespace, so such a type avoids names of the service.
  void name_types_in_xml() {
    std::map<std::string, Scope> scopes;
    const auto has_name = [](const QName& name) { return !name.local.empty() && !name.ns.empty(); };
    for (const Declaration* each : sorted_)
      if (has_name(each->xml)) scopes[each->xml.ns].take(each->xml.local);
    for (Declaration* each : sorted_) {
      QName& name = each->xml;
      if (has_name(name) || each->is_message || each->owner) continue;
      Scope& scope = scopes[name.ns.empty() ? tables_.common_ns : name.ns];
      name.local = scope.unused(name.local.empty() ? each->wish : name.local);
    }
  }

  void name_declaration(Declaration& of) {
    const bool is_constant = of.kind == Declaration::Kind::simple;
    Scope& scope = is_constant ? constants_ : types_;
    const std::string& from = of.xml.local.empty() ? of.wish : of.xml.local;
    std::string name = is_constant ? value_name(from) : type_name(from);
    if (scope.has(name) && of.xml.ns != tables_.common_ns) {
      const std::string word = word_of(of.xml.ns);
      const std::string longer = is_constant ? value_name(word + capitalised(from)) : word + name;
      if (!word.empty()) name = longer;
    }
    // Compilers warn if an enumerator hides a constant. The constant gets the suffix, because
    // programs use it less often.
    if (is_constant && enumerators_.contains(name)) name += "_type";
    if (scope.has(name) && !is_constant) name += of.is_message ? "Message" : "Type";
    of.cpp = scope.unused(name);
  }

  /// Parts of a struct have names that begin with its name. Outer parts come before inner parts.
  void name_parts() {
    for (Declaration* each : all_) {
      if (!each->owner) continue;
      const bool is_choice = each->kind == Declaration::Kind::choice;
      each->cpp = types_.unused(each->owner->cpp + (is_choice ? "Choice" : "Group"));
    }
  }

  /// Bases come before their derived structs, whose members avoid the names of the bases.
  void name_insides() {
    std::set<const Declaration*> done;
    for (Declaration* each : all_) {
      std::vector<Declaration*> chain;
      for (Declaration* at = each; at && done.insert(at).second; at = at->base)
        chain.push_back(at);
      for (; !chain.empty(); chain.pop_back())
        chain.back()->kind == Declaration::Kind::enumeration ? name_values(*chain.back())
                                                             : name_members(*chain.back());
    }
  }

  /// Values with a unique name come first, so that a new value renames none of them.
  static void name_values(Declaration& of) {
    Scope scope;
    std::map<std::string, std::size_t> wished;
    for (const EnumValue& each : of.values)
      ++wished[value_name(each.text)];
    for (EnumValue& each : of.values)
      if (wished[value_name(each.text)] == 1) each.name = scope.unused(value_name(each.text));
    for (EnumValue& each : of.values)
      if (each.name.empty()) each.name = scope.unused(value_name(each.text));
  }

  static void name_members(Declaration& of) {
    Scope scope;
    for (const Declaration* base = of.problem ? nullptr : of.base; base; base = base->base)
      for (const Row& each : base->rows)
        scope.take(each.member);
    for (Row& each : of.rows) {
      std::string name = member_wish(each);
      if (each.kind == Row::Kind::attribute && scope.has(name)) name += "_attribute";
      each.member = scope.unused(name);
    }
  }

  static std::string member_wish(const Row& of) {
    const Declaration* const part = of.type.declared;
    if (of.kind == Row::Kind::group && part && part->kind == Declaration::Kind::choice)
      return "choice";
    if (!of.name.local.empty()) return value_name(of.name.local, "n");
    switch (of.kind) {
    case Row::Kind::content: return "content";
    case Row::Kind::any: return "others";
    case Row::Kind::any_attribute: return "other_attributes";
    default: return "group";
    }
  }

  Tables& tables_;
  std::vector<Declaration*> all_;  ///< in the order in which they were made
  std::vector<Declaration*> sorted_;
  Scope types_;  ///< structs, enumerations and classes
  Scope constants_;
  std::set<std::string> enumerators_;
};

}  // namespace

void give_names(Tables& tables, const std::set<const Declaration*>& used) {
  Naming(tables, used).give();
}

}  // namespace importer
