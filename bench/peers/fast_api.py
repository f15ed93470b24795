"""FastAPI: pydantic models that are built from the schema check the raw body, which is faster than a parsed one."""

import datetime
from decimal import Decimal
from typing import Annotated, Optional

import orjson
from fastapi import FastAPI, Request, Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model, model_validator
from pydantic_core import PydanticCustomError

from model import EMAIL, is_phone, objects, shape


def phone(text: str) -> str:
    if not is_phone(text):
        raise PydanticCustomError("invalid_phone_number", "Not a phone number.")
    return text


KINDS = {
    "string": str,
    "date": datetime.date,
    "date-time": datetime.datetime,
    "decimal": Decimal,
    "boolean": bool,
    "object": dict,
    "phone": Annotated[str, AfterValidator(phone)],
    "email": Annotated[str, Field(pattern=EMAIL)],
}


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", protected_namespaces=())


def member(schema, models):
    kind, is_nullable = shape(schema)
    if kind == "array":
        type_ = list[member(schema["items"], models)] if "items" in schema else list
    elif kind == "integer":
        type_ = Annotated[int, Field(ge=schema.get("minimum"), le=schema.get("maximum"))]
    else:
        type_ = models.get(kind) or KINDS[kind]
    return Optional[type_] if is_nullable else type_


def ordered(start, end):
    """A validator: the member `end` is not before the member `start`."""

    def check(self):
        first, last = getattr(self, start), getattr(self, end)
        if first and last and last < first:
            raise PydanticCustomError("end_before_start", "The end is before the start.", {"member": end})
        return self

    return model_validator(mode="after")(check)


def build():
    models = {}
    for name, schema in objects().items():
        required = schema["required"]
        members = {
            key: (member(value, models), ... if key in required else None) for key, value in schema["properties"].items()
        }
        validators = {"order": ordered(*schema["dateOrder"])} if "dateOrder" in schema else {}
        models[name] = create_model(name, __base__=Strict, __validators__=validators, **members)
    return models["Account"]


Account = build()
app = FastAPI(openapi_url=None)


@app.post("/validate")
async def validate(request: Request):
    try:
        Account.model_validate_json(await request.body())
    except ValidationError as failure:
        errors = [
            {
                "detail": error["msg"],
                "code": error["type"],
                "attr": ".".join(map(str, [*error["loc"], *error.get("ctx", {}).get("member", "").split()])),
            }
            for error in failure.errors(include_url=False, include_input=False)
        ]
        body = {"detail": "Account failed validation.", "code": "account_failed_validation", "errors": errors}
        return Response(orjson.dumps(body), 400, media_type="application/json")
    return Response(b"{}", media_type="application/json")
