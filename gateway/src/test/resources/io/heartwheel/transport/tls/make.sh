#!/usr/bin/env bash
# Makes the certificates, keys and OCSP answers of this folder anew, in the current directory. Good for a hundred years and for nothing but tests.
set -euo pipefail

days=36500
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days $days -subj "/CN=ca" 2>/dev/null

# name, kind of key, subject alternative names
certify() {
  openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -set_serial "0x$2" -days $days -out "$1.pem" \
    -extfile <(echo "subjectAltName=$3") 2>/dev/null
  rm "$1.csr"
}

openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ec.key
certify ec 00ec01 "DNS:a.example,DNS:*.b.example,DNS:not a name,IP:127.0.0.1"
openssl ec -in ec.key -out ec-sec1.key 2>/dev/null

openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa.key 2>/dev/null
certify rsa 00a501 "DNS:rsa.example"
openssl rsa -in rsa.key -traditional -out rsa-pkcs1.key 2>/dev/null
openssl pkey -in rsa.key -aes128 -passout pass:secret -out rsa-encrypted.key
openssl rsa -in rsa.key -traditional -aes128 -passout pass:secret -out rsa-pkcs1-encrypted.key 2>/dev/null

# nobody has signed this one but itself
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout stranger.key -out stranger.pem -days $days -subj "/CN=stranger" 2>/dev/null

openssl genpkey -algorithm ED25519 -out ed25519.key
certify ed25519 00ed01 "DNS:ed.example"

# answer of the authority: name, status line of the index, further options
answer() {
  printf '%b\n' "$2" > index.txt
  openssl ocsp -issuer ca.pem -cert ec.pem -no_nonce -reqout request.der >/dev/null 2>&1
  openssl ocsp -index index.txt -rsigner ca.pem -rkey ca.key -CA ca.pem -reqin request.der -respout "$1" "${@:3}" >/dev/null 2>&1
  rm index.txt request.der
}
answer ec-good.ocsp 'V\t400101000000Z\t\tEC01\tunknown\t/CN=ec' -ndays $days
answer ec-endless.ocsp 'V\t400101000000Z\t\tEC01\tunknown\t/CN=ec'
answer ec-revoked.ocsp 'R\t400101000000Z\t260101000000Z\tEC01\tunknown\t/CN=ec' -ndays $days
printf '\x30\x03\x0a\x01\x03' > try-later.ocsp
rm ca.key
