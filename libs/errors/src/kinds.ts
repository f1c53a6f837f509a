/**
 * The one table from a kind of failure to its gRPC code and HTTP status (D4).
 * gRPC's seventeen codes are coarser than the public statuses, so the kind itself travels with the code.
 */
export const errorKinds = {
  invalid_params: { grpc: 'INVALID_ARGUMENT', http: 400, text: '400 Bad request' },
  bad_request: { grpc: 'INVALID_ARGUMENT', http: 400, text: '400 Bad request' },
  invalid: { grpc: 'INVALID_ARGUMENT', http: 400, text: '400 Bad request' },
  unauthorized: { grpc: 'UNAUTHENTICATED', http: 401, text: '401 Unauthorized' },
  invalid_token: { grpc: 'UNAUTHENTICATED', http: 401, text: '401 Unauthorized' },
  forbidden: { grpc: 'PERMISSION_DENIED', http: 403, text: '403 Forbidden' },
  insufficient_scope: { grpc: 'PERMISSION_DENIED', http: 403, text: '403 Forbidden' },
  not_found: { grpc: 'NOT_FOUND', http: 404, text: '404 Not Found' },
  not_allowed: { grpc: 'FAILED_PRECONDITION', http: 405, text: '405 Method Not Allowed' },
  not_acceptable: { grpc: 'FAILED_PRECONDITION', http: 406, text: '406 Not Acceptable' },
  request_timeout: { grpc: 'DEADLINE_EXCEEDED', http: 408, text: '408 Request Timeout' },
  conflict: { grpc: 'ABORTED', http: 409, text: '409 Conflict' },
  gone: { grpc: 'NOT_FOUND', http: 410, text: '410 Gone' },
  precondition_failed: { grpc: 'FAILED_PRECONDITION', http: 412, text: '412 Precondition Failed' },
  too_large: { grpc: 'RESOURCE_EXHAUSTED', http: 413, text: '413 Request Entity Too Large' },
  unsupported_media_type: { grpc: 'INVALID_ARGUMENT', http: 415, text: '415 Unsupported Media Type' },
  unprocessable: { grpc: 'FAILED_PRECONDITION', http: 422, text: '422 Unprocessable Entity' },
  rate_limited: { grpc: 'RESOURCE_EXHAUSTED', http: 429, text: 'Retry later' },
  internal: { grpc: 'INTERNAL', http: 500, text: '500 Internal Server Error' },
  unavailable: { grpc: 'UNAVAILABLE', http: 503, text: '503 Service Unavailable' },
} as const satisfies Record<string, { grpc: string; http: number; text: string }>;

/** A kind of failure; what a caller may switch on. */
export type ErrorKind = keyof typeof errorKinds;
