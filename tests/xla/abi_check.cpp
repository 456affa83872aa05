// Compiles only if cpp/xla/abi.h declares what jaxlib's own header does.
#include <xla/ffi/api/c_api.h>

#include <type_traits>

#include "xla/abi.h"

namespace {

using namespace envpool::xla;

template <class Ours, class Theirs>
constexpr bool kSameSize = sizeof(Ours) == sizeof(Theirs);

// Later minor versions only add to what is declared here, and XLA takes handlers of earlier ones.
static_assert(kMajorVersion == XLA_FFI_API_MAJOR && kMinorVersion <= XLA_FFI_API_MINOR);
static_assert(kMetadataExtension == XLA_FFI_Extension_Metadata);
static_assert(kExecute == XLA_FFI_ExecutionStage_EXECUTE);
static_assert(kBuffer == XLA_FFI_ArgType_BUFFER && kBuffer == XLA_FFI_RetType_BUFFER);
static_assert(kScalar == XLA_FFI_AttrType_SCALAR);
static_assert(int(ErrorCode::kInvalidArgument) == XLA_FFI_Error_Code_INVALID_ARGUMENT);
static_assert(int(ErrorCode::kInternal) == XLA_FFI_Error_Code_INTERNAL);

static_assert(int(ElementType::kBool) == XLA_FFI_DataType_PRED);
static_assert(int(ElementType::kInt8) == XLA_FFI_DataType_S8);
static_assert(int(ElementType::kInt16) == XLA_FFI_DataType_S16);
static_assert(int(ElementType::kInt32) == XLA_FFI_DataType_S32);
static_assert(int(ElementType::kInt64) == XLA_FFI_DataType_S64);
static_assert(int(ElementType::kUInt8) == XLA_FFI_DataType_U8);
static_assert(int(ElementType::kUInt16) == XLA_FFI_DataType_U16);
static_assert(int(ElementType::kUInt32) == XLA_FFI_DataType_U32);
static_assert(int(ElementType::kUInt64) == XLA_FFI_DataType_U64);
static_assert(int(ElementType::kFloat32) == XLA_FFI_DataType_F32);
static_assert(int(ElementType::kFloat64) == XLA_FFI_DataType_F64);

// XLA_FFI_Extension_Base, which later versions call XLA_FFI_InternalExtension.
using TheirExtension = std::remove_pointer_t<decltype(XLA_FFI_CallFrame::extension_start)>;
static_assert(kSameSize<Extension, TheirExtension>);
static_assert(offsetof(Extension, type) == offsetof(TheirExtension, type));
static_assert(offsetof(Extension, next) == offsetof(TheirExtension, next));

static_assert(kSameSize<Version, XLA_FFI_Api_Version>);
static_assert(offsetof(Version, major) == offsetof(XLA_FFI_Api_Version, major_version));
static_assert(offsetof(Version, minor) == offsetof(XLA_FFI_Api_Version, minor_version));

static_assert(kSameSize<ErrorRequest, XLA_FFI_Error_Create_Args>);
static_assert(offsetof(ErrorRequest, message) == offsetof(XLA_FFI_Error_Create_Args, message));
static_assert(offsetof(ErrorRequest, code) == offsetof(XLA_FFI_Error_Create_Args, errc));

static_assert(offsetof(Api, version) == offsetof(XLA_FFI_Api, api_version));
static_assert(offsetof(Api, create_error) == offsetof(XLA_FFI_Api, XLA_FFI_Error_Create));
static_assert(offsetof(Api, get_stream) == offsetof(XLA_FFI_Api, XLA_FFI_Stream_Get));

static_assert(kSameSize<StreamRequest, XLA_FFI_Stream_Get_Args>);
static_assert(offsetof(StreamRequest, context) == offsetof(XLA_FFI_Stream_Get_Args, ctx));
static_assert(offsetof(StreamRequest, stream) == offsetof(XLA_FFI_Stream_Get_Args, stream));

static_assert(kSameSize<Buffer, XLA_FFI_Buffer>);
static_assert(offsetof(Buffer, type) == offsetof(XLA_FFI_Buffer, dtype));
static_assert(offsetof(Buffer, data) == offsetof(XLA_FFI_Buffer, data));
static_assert(offsetof(Buffer, rank) == offsetof(XLA_FFI_Buffer, rank));
static_assert(offsetof(Buffer, sizes) == offsetof(XLA_FFI_Buffer, dims));

static_assert(kSameSize<Buffers, XLA_FFI_Args> && kSameSize<Buffers, XLA_FFI_Rets>);
static_assert(offsetof(Buffers, size) == offsetof(XLA_FFI_Args, size));
static_assert(offsetof(Buffers, types) == offsetof(XLA_FFI_Args, types));
static_assert(offsetof(Buffers, values) == offsetof(XLA_FFI_Args, args));
static_assert(offsetof(Buffers, values) == offsetof(XLA_FFI_Rets, rets));

static_assert(kSameSize<Text, XLA_FFI_ByteSpan>);
static_assert(offsetof(Text, data) == offsetof(XLA_FFI_ByteSpan, ptr));
static_assert(kSameSize<Scalar, XLA_FFI_Scalar>);
static_assert(offsetof(Scalar, value) == offsetof(XLA_FFI_Scalar, value));

static_assert(kSameSize<Attributes, XLA_FFI_Attrs>);
static_assert(offsetof(Attributes, size) == offsetof(XLA_FFI_Attrs, size));
static_assert(offsetof(Attributes, types) == offsetof(XLA_FFI_Attrs, types));
static_assert(offsetof(Attributes, names) == offsetof(XLA_FFI_Attrs, names));
static_assert(offsetof(Attributes, values) == offsetof(XLA_FFI_Attrs, attrs));

static_assert(offsetof(CallFrame, api) == offsetof(XLA_FFI_CallFrame, api));
static_assert(offsetof(CallFrame, context) == offsetof(XLA_FFI_CallFrame, ctx));
static_assert(offsetof(CallFrame, stage) == offsetof(XLA_FFI_CallFrame, stage));
static_assert(offsetof(CallFrame, arguments) == offsetof(XLA_FFI_CallFrame, args));
static_assert(offsetof(CallFrame, results) == offsetof(XLA_FFI_CallFrame, rets));
static_assert(offsetof(CallFrame, attributes) == offsetof(XLA_FFI_CallFrame, attrs));

static_assert(offsetof(Metadata, version) == offsetof(XLA_FFI_Metadata, api_version));
static_assert(offsetof(Metadata, traits) == offsetof(XLA_FFI_Metadata, traits));
static_assert(offsetof(MetadataExtension, metadata) ==
              offsetof(XLA_FFI_Metadata_Extension, metadata));

}  // namespace
