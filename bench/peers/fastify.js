// Fastify: ajv takes the schema as it is and lists all errors.
const Ajv = require("ajv/dist/2019");
const addFormats = require("ajv-formats");
const { parsePhoneNumberFromString } = require("libphonenumber-js/max");
const { readFileSync } = require("fs");

const schema = JSON.parse(readFileSync(process.env.BENCH_MODEL, "utf8"));
const ajv = new Ajv({ allErrors: true, strict: false });
addFormats(ajv);
ajv.addFormat("phone", (text) => parsePhoneNumberFromString(text, "AU")?.isValid() ?? false);
ajv.addFormat("email", /^[^@\s]+@[^@\s]+\.[^@\s]+$/);
ajv.addKeyword({
  keyword: "dateOrder",
  type: "object",
  errors: true,
  compile: ([start, end]) =>
    function check(data) {
      const isOrdered = typeof data[start] !== "string" || typeof data[end] !== "string" || data[start] <= data[end];
      if (!isOrdered) {
        check.errors = [{ keyword: "dateOrder", message: "the end is before the start", params: { member: end } }];
      }
      return isOrdered;
    },
});
const validator = ajv.compile(schema);

const shown = ({ instancePath, keyword, message, params }) => {
  const member = params.missingProperty ?? params.additionalProperty ?? params.member;
  const attr = [...instancePath.split("/").slice(1), ...(member ? [member] : [])].join(".");
  return { detail: message, code: keyword, attr };
};

const app = require("fastify")({ bodyLimit: 50_000_000, logger: false });
app.setValidatorCompiler(() => validator);
app.setErrorHandler((error, request, reply) => {
  const errors = (error.validation ?? []).map(shown);
  reply.code(400).send({ detail: "Account failed validation.", code: "account_failed_validation", errors });
});
app.post("/validate", { schema: { body: schema } }, async () => ({}));
app.listen({ port: 0, host: "127.0.0.1" }).then((address) => console.log(`listening on ${address}`));
