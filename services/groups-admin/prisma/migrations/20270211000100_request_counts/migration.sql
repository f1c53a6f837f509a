-- additive
-- Requests that all gateways have counted for a limit, in windows (ADR 77). Not logged: after a crash counting begins anew.
create unlogged table request_counts (
  key bytea primary key,
  count bigint not null,
  ends_at timestamptz(3) not null
) with (fillfactor = 50);
