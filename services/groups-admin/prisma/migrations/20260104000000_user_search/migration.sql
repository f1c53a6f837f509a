-- A search compares the whole name and the public e-mail in any case of letters: one alternative without an index makes the search read
-- every user.
create index users_name_in_any_case on users (lower(name));
create index users_public_email_in_any_case on users (lower(public_email));
