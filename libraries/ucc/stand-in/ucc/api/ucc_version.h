#define UCC_VERSION(major, minor) (((major) << 24) | ((minor) << 16))
#define UCC_API_MAJOR 1
#define UCC_API_MINOR 0
#define UCC_API_VERSION UCC_VERSION(UCC_API_MAJOR, UCC_API_MINOR)
#define UCC_VERSION_STRING "1.0"
#define UCC_GIT_REVISION ""
