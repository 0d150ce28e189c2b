"""Kinds of secrets and how values of them look: what `redact` is measured on.

Names are those of rules of gitleaks 8 and plugins of detect-secrets 1.5, the formats what their
issuers publish; neither is taken from the patterns that are measured. A format is text in which
``{class length}`` stands for random characters.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["KINDS", "Kind", "value_of"]

_CLASSES = {
    "w": string.ascii_letters + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "B": string.ascii_uppercase + "234567",
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "d": string.digits,
    "u": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
    "q": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}
_PLACE = re.compile(r"\{(\w)(\d+)\}")


@dataclass(frozen=True)
class Kind:
    """One kind.

    Parameters
    ----------
    name
        The rule's or plugin's name.
    formats
        One is drawn; or a function of the dice.
    setting
        The setting under which such a value usually stands.
    named
        True where nothing of the value tells what it is: it is a secret by its setting alone.
    shapes
        Where such values stand; ``""`` for all shapes that a value fits into.
    """

    name: str
    formats: tuple[str, ...] | Callable[[random.Random], str]
    setting: str
    named: bool = False
    shapes: str = ""


def value_of(kind: Kind, dice: random.Random) -> str:
    """Return a random value of a kind."""
    if callable(kind.formats):
        return kind.formats(dice)
    form = dice.choice(kind.formats)
    return _PLACE.sub(lambda m: "".join(dice.choices(_CLASSES[m[1]], k=int(m[2]))), form)


def _json64(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _jwt(dice: random.Random) -> str:
    head = {"alg": dice.choice(("HS256", "RS256", "ES256")), "typ": "JWT"}
    body = {"sub": str(dice.randrange(10**9)), "iat": dice.randrange(10**9, 2 * 10**9)}
    return f"{_json64(head)}.{_json64(body)}." + "".join(dice.choices(_CLASSES["u"], k=43))


def _private_key(dice: random.Random) -> str:
    name = dice.choice(
        ("RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY",
         "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK")
    )  # fmt: skip
    body = "".join(dice.choices(_CLASSES["b"], k=dice.choice((160, 600, 1600)))) + "=="
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    if "PGP" in name:
        lines = ["Version: GnuPG v2.0.22 (GNU/Linux)", "", *lines]
    elif "RSA" in name and dice.random() < 0.3:
        lines = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0123456789ABCDEF", "", *lines]
    return "\n".join([f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"])


def _password(dice: random.Random) -> str:
    words = ("sunset", "Tiger", "winter", "Blue", "koala", "Monday", "harbor", "Pepper")
    return dice.choice(
        (
            dice.choice(words) + dice.choice(words) + str(dice.randrange(10, 9999)) + "!",
            "".join(dice.choices(_CLASSES["w"] + "!#%^*-_+?", k=14)) + "7x",
            dice.choice(words) + "@" + str(dice.randrange(1000, 9999)),
        )
    )


#: Fifty kinds: those of the two lists whose formats their issuers publish, most used first.
KINDS: tuple[Kind, ...] = (
    Kind("aws-access-token", ("AKIA{B16}", "ASIA{B16}"), "AWS_ACCESS_KEY_ID"),
    Kind("aws-secret-key", ("{b40}",), "AWS_SECRET_ACCESS_KEY", named=True),
    Kind("github-pat", ("ghp_{w36}",), "GITHUB_TOKEN"),
    Kind("github-fine-grained-pat", ("github_pat_{w22}_{w59}",), "GH_TOKEN"),
    Kind("github-app-token", ("ghu_{w36}", "ghs_{w36}", "gho_{w36}", "ghr_{w36}"), "GH_APP"),
    Kind("gitlab-pat", ("glpat-{u20}",), "GITLAB_TOKEN"),
    Kind("gitlab-runner-token", ("glrt-{u20}", "glptt-{h40}", "GR1348941{u20}"), "CI_RUNNER"),
    Kind("slack-bot-token", ("xoxb-{d12}-{d12}-{w24}",), "SLACK_BOT_TOKEN"),
    Kind("slack-app-token", ("xapp-1-A{U10}-{d13}-{h64}",), "SLACK_APP"),
    Kind("slack-webhook-url", ("https://hooks.slack.com/services/T{U8}/B{U10}/{w24}",),
         "SLACK_WEBHOOK", shapes="text"),
    Kind("stripe-access-token", ("sk_live_{w24}", "rk_live_{w24}", "sk_test_{w99}"), "STRIPE_KEY"),
    Kind("openai-api-key", ("sk-{w20}T3BlbkFJ{w20}", "sk-proj-{u74}T3BlbkFJ{u74}",
                            "sk-svcacct-{u58}T3BlbkFJ{u58}"), "OPENAI_API_KEY"),
    Kind("anthropic-api-key", ("sk-ant-api03-{u93}AA", "sk-ant-admin01-{u93}AA"),
         "ANTHROPIC_API_KEY"),
    Kind("gcp-api-key", ("AIza{u35}",), "GOOGLE_API_KEY"),
    Kind("huggingface-access-token", ("hf_{w34}",), "HF_TOKEN"),
    Kind("npm-access-token", ("npm_{w36}",), "NPM_TOKEN"),
    Kind("pypi-upload-token", ("pypi-AgEIcHlwaS5vcmc{u150}",), "TWINE_PASSWORD"),
    Kind("sendgrid-api-token", ("SG.{u22}.{u43}",), "SENDGRID_API_KEY"),
    Kind("mailchimp-api-key", ("{h32}-us{d2}",), "MAILCHIMP_API_KEY"),
    Kind("mailgun-private-api-token", ("key-{h32}",), "MAILGUN"),
    Kind("twilio-api-key", ("SK{h32}",), "TWILIO_API_KEY"),
    Kind("square-access-token", ("sq0atp-{u22}", "EAAA{u60}"), "SQUARE_ACCESS_TOKEN"),
    Kind("shopify-access-token", ("shpat_{h32}", "shpca_{h32}", "shppa_{h32}"), "SHOPIFY"),
    Kind("telegram-bot-api-token", ("{d9}:AA{u33}", "{d10}:AA{u33}"), "TELEGRAM_BOT"),
    Kind("discord-bot-token", ("M{w23}.{u6}.{u27}", "N{w25}.{u6}.{u38}"), "DISCORD_TOKEN"),
    Kind("databricks-api-token", ("dapi{h32}",), "DATABRICKS_TOKEN"),
    Kind("digitalocean-pat", ("dop_v1_{h64}", "doo_v1_{h64}"), "DO_PAT"),
    Kind("vault-service-token", ("hvs.{u95}", "hvb.{u140}"), "VAULT"),
    Kind("hashicorp-tf-api-token", ("{w14}.atlasv1.{u64}",), "TF_CLOUD"),
    Kind("jwt", _jwt, "SESSION"),
    Kind("private-key", _private_key, "DEPLOY_KEY", shapes="block"),
    Kind("grafana-service-account-token", ("glsa_{w32}_{h8}", "glc_{w60}"), "GRAFANA"),
    Kind("doppler-api-token", ("dp.pt.{w43}",), "DOPPLER"),
    Kind("linear-api-key", ("lin_api_{w40}",), "LINEAR"),
    Kind("new-relic-user-api-key", ("NRAK-{U27}",), "NEW_RELIC"),
    Kind("postman-api-token", ("PMAK-{h24}-{h34}",), "POSTMAN"),
    Kind("pulumi-api-token", ("pul-{h40}",), "PULUMI"),
    Kind("rubygems-api-token", ("rubygems_{h48}",), "GEM_HOST"),
    Kind("azure-ad-client-secret", ("{w3}8Q~{w34}",), "AZURE_CLIENT"),
    Kind("azure-storage-key", ("{b86}==",), "AccountKey", named=True),
    Kind("alibaba-access-key-id", ("LTAI{w20}",), "ALIBABA_CLOUD_ACCESS_KEY_ID"),
    Kind("atlassian-api-token", ("ATATT3{u186}",), "JIRA"),
    Kind("perplexity-api-key", ("pplx-{w48}",), "PERPLEXITY"),
    Kind("sentry-org-token", ("sntrys_eyJ{w80}_{w43}", "sntryu_{h64}"), "SENTRY"),
    Kind("age-secret-key", ("AGE-SECRET-KEY-1{q58}",), "AGE"),
    Kind("planetscale-password", ("pscale_pw_{u43}", "pscale_tkn_{u43}"), "PLANETSCALE"),
    Kind("heroku-api-key", ("{h8}-{h4}-4{h3}-a{h3}-{h12}",), "HEROKU_API_KEY", named=True),
    Kind("datadog-access-token", ("{h40}", "{h32}"), "DATADOG_API_KEY", named=True),
    Kind("generic-api-key", ("{w32}", "{l40}", "{u43}"), "SERVICE_API_KEY", named=True),
    Kind("keyword-password", _password, "DB_PASSWORD", named=True, shapes="password"),
)  # fmt: skip
