/** Names under which CPE 2.3 is written without escapes; others are left out of lists, as readers of both forms would refuse them. */
export const plainCpe =
  /^cpe:2\.3:[aho*-](?::(?:[A-Za-z0-9._-]+|[*-])){5}:(?:[a-zA-Z]{2,3}|[*-])(?::(?:[A-Za-z0-9._-]+|[*-])){4}$/;
