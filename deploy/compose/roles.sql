-- Run once by the database's container, when its volume is new: a role that owns one database and nothing else.
\getenv password DATABASE_PASSWORD
CREATE ROLE cutover LOGIN PASSWORD :'password';
CREATE DATABASE cutover OWNER cutover;
REVOKE ALL ON DATABASE cutover FROM PUBLIC;
