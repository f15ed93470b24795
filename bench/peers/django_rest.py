"""Django REST framework: serializers that are built from the schema, and drf-standardized-errors for the answer."""

import django
from django.conf import settings

settings.configure(
    SECRET_KEY="bench",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["rest_framework", "drf_standardized_errors"],
    LOGGING_CONFIG=None,
    DATA_UPLOAD_MAX_MEMORY_SIZE=50_000_000,
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_PERMISSION_CLASSES": [],
        "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "EXCEPTION_HANDLER": "drf_standardized_errors.handler.exception_handler",
        "UNAUTHENTICATED_USER": None,
    },
)
django.setup()

from django.core.wsgi import get_wsgi_application
from django.urls import path
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from model import EMAIL, is_phone, objects, shape


class Phone(serializers.CharField):
    def to_internal_value(self, data):
        text = super().to_internal_value(data)
        if not is_phone(text):
            raise serializers.ValidationError("Not a phone number.", code="invalid_phone_number")
        return text


class Strict(serializers.Serializer):
    """Refuses unknown members, beside the other errors, and an end before its start."""

    order = None

    def to_internal_value(self, data):
        unknown = set(data) - set(self.fields) if isinstance(data, dict) else set()
        errors = {key: [serializers.ErrorDetail("Unknown member.", code="unknown_field")] for key in unknown}
        try:
            value = super().to_internal_value(data)
        except serializers.ValidationError as failure:
            raise serializers.ValidationError({**failure.detail, **errors}) from None
        if errors:
            raise serializers.ValidationError(errors)
        return value

    def validate(self, attrs):
        if self.order:
            start, end = attrs.get(self.order[0]), attrs.get(self.order[1])
            if start and end and end < start:
                fault = serializers.ErrorDetail("The end is before the start.", code="end_before_start")
                raise serializers.ValidationError({self.order[1]: [fault]})
        return attrs


KINDS = {
    "string": (serializers.CharField, {"allow_blank": True}),
    "date": (serializers.DateField, {}),
    "date-time": (serializers.DateTimeField, {}),
    "decimal": (serializers.DecimalField, {"max_digits": 20, "decimal_places": 10}),
    "boolean": (serializers.BooleanField, {}),
    "object": (serializers.DictField, {}),
    "phone": (Phone, {}),
    "email": (serializers.RegexField, {"regex": EMAIL}),
}


def member(schema, classes, is_required):
    kind, is_nullable = shape(schema)
    options = {"required": is_required, **({"allow_null": True} if is_nullable else {})}
    if kind == "array":
        item = shape(schema["items"])[0] if "items" in schema else None
        if item in classes:
            return classes[item](many=True, **options)
        child = {"child": member(schema["items"], classes, True)} if item else {}
        return serializers.ListField(**child, **options)
    if kind == "integer":
        return serializers.IntegerField(min_value=schema.get("minimum"), max_value=schema.get("maximum"), **options)
    class_, more = (classes[kind], {}) if kind in classes else KINDS[kind]
    return class_(**more, **options)


def build():
    classes = {}
    for name, schema in objects().items():
        members = {
            key: member(value, classes, key in schema["required"]) for key, value in schema["properties"].items()
        }
        classes[name] = type(name, (Strict,), {"order": schema.get("dateOrder"), **members})
    return classes["Account"]


Account = build()


class Validate(APIView):
    def post(self, request):
        Account(data=request.data).is_valid(raise_exception=True)
        return Response({})


urlpatterns = [path("validate", Validate.as_view())]
application = get_wsgi_application()
