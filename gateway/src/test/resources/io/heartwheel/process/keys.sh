#!/bin/sh
# Makes keys.p12, the keys of TestCertificates: an authority and what it signed. Serial numbers and keys are new ones each time.
set -e
cd "$(dirname "$0")"
rm -f keys.p12

key() {
    alias=$1
    shift
    keytool -genkeypair -keystore keys.p12 -storetype PKCS12 -storepass heartwheel -alias "$alias" -dname "CN=$alias" \
        -keyalg EC -groupname secp256r1 "$@"
}

long='-validity 11000 -startdate 2025/01/01'
key ca $long -ext bc:c
key gateway $long -signer ca -ext san=ip:127.0.0.1,dns:localhost
key other $long -signer ca -ext san=dns:other.example
key device $long -signer ca
key stranger $long
key expired -signer ca -validity 30 -startdate 2025/01/01
key early -signer ca -validity 30 -startdate 2054/12/01
key server-only $long -signer ca -ext eku=serverAuth
