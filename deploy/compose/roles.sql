-- Run once by the database's container, when its volume is new: a role that owns one database and migrates it, and another
-- one for running, which can change rows only.
\getenv owner_password OWNER_PASSWORD
\getenv password DATABASE_PASSWORD
CREATE ROLE cutover LOGIN PASSWORD :'owner_password';
CREATE ROLE cutover_run LOGIN PASSWORD :'password';
CREATE DATABASE cutover OWNER cutover;
REVOKE ALL ON DATABASE cutover FROM PUBLIC;
GRANT CONNECT ON DATABASE cutover TO cutover_run;
