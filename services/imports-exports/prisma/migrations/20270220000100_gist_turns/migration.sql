-- additive
-- Gists of the page that is read next that were brought: an import is given back in the middle of a page.
alter table gist_imports add column brought int not null default 0;
