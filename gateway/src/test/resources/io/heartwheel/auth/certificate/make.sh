#!/usr/bin/env bash
# Makes the certificates and revocation lists of this folder anew, in the current directory. Good for a hundred years and for nothing but tests.
set -euo pipefail

days=36500
authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.pem" -days $days -subj "$2" \
    -addext "keyUsage=critical,$3" 2>/dev/null
}
authority ca "/CN=fleet authority" keyCertSign,cRLSign
# another one under the same name
authority false-ca "/CN=fleet authority" keyCertSign,cRLSign
# the next key of the first
authority next-ca "/CN=fleet authority" keyCertSign,cRLSign
# one that may sign certificates only
authority other-ca "/CN=other authority" keyCertSign

openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out device.key
issuer=ca
key=device
# name, serial number, subject, extension
certify() {
  openssl req -new -utf8 -key $key.key -subj "$3" -multivalue-rdn -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA $issuer.pem -CAkey $issuer.key -set_serial "0x$2" -days "${5:-$days}" -out "$1.pem" \
    -extfile <(echo "$4") 2>/dev/null
  rm "$1.csr"
}
certify names 0a01 "/CN=sensor-1" "subjectAltName=DNS:sensor-1.devices.example,DNS:spare-1.devices.example,URI:urn:device:sensor-1,email:sensor-1@devices.example,IP:127.0.0.1"
certify revoked 0a02 "/CN=sensor-2" "subjectAltName=DNS:sensor-2.devices.example"
certify escaped 0a03 '/O=Example/CN=pump\, "north"\+1 \\\/ Größe' "basicConstraints=CA:FALSE"
certify multi 0a04 "/O=Example+CN=sensor-4+serialNumber=77/OU=CN\=sensor-9" "basicConstraints=CA:FALSE"
certify twice 0a05 "/CN=sensor-5/CN=sensor-6" "basicConstraints=CA:FALSE"
certify nameless 0a06 "/O=Example" "basicConstraints=CA:FALSE"
certify long 0a07 "/CN=sensor-7" "subjectAltName=DNS:$(printf 'a%.0s' $(seq 1100)),DNS:$(printf 'a%.0s' $(seq 40))"
certify crowd 0a08 "/CN=sensor-8" "subjectAltName=$(printf 'DNS:d%s.example,' $(seq 101) | sed 's/,$//')"
certify short 0a09 "/CN=sensor-9" "subjectAltName=DNS:sensor-9" 30

# a root, an authority below it under two keys, one below the first of these, and a device of each
authority root "/CN=root" keyCertSign,cRLSign
# name, serial number, subject
intermediate() {
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"
  key=$1 certify "$1" "$2" "$3" "basicConstraints=critical,CA:TRUE"
}
issuer=root intermediate mid 0b01 /CN=mid
issuer=root intermediate next-mid 0b02 /CN=mid
issuer=mid intermediate sub 0b03 /CN=sub
for issuer in mid next-mid sub; do certify of-$issuer 0c01 /CN=sensor-1 "basicConstraints=CA:FALSE"; done

# name of the list, authority, extensions or "-", next update, serial numbers
list() {
  : > index.txt
  for serial in "${@:5}"; do printf 'R\t400101000000Z\t260101000000Z\t%s\tunknown\t/CN=x\n' "$serial" >> index.txt; done
  echo 01 > number
  {
    printf '[ca]\ndefault_ca=a\n[a]\ndatabase=index.txt\ncrlnumber=number\ndefault_md=sha256\n[x]\nauthorityKeyIdentifier=keyid\n'
    [ "$3" = - ] || echo "$3"
    printf '[idp]\nindirectCRL=TRUE\n[some]\nonlysomereasons=keyCompromise\n[part]\nfullname=URI:http://crl.example/1\n'
  } > ca.conf
  openssl ca -gencrl -config ca.conf -cert "$2.pem" -keyfile "$2.key" -crlexts x -crl_lastupdate "$from" -crl_nextupdate "$4" -out "$1.crl" 2>/dev/null
  rm -f index.txt* number* ca.conf
}
later=20990101000000Z
from=20260101000000Z
list revoked ca - $later 0A02
list nobody ca - $later
list more ca - $later 0A01
list overdue ca - 20260201000000Z 0A02
list forged false-ca - $later 0A01
list other other-ca - $later 0A01
list delta ca "2.5.29.27=critical,DER:020101" $later 0A02
list indirect ca "issuingDistributionPoint=critical,@idp" $later 0A02
list some ca "issuingDistributionPoint=critical,@some" $later 0A02
list part ca "issuingDistributionPoint=critical,@part" $later 0A02
list strange ca "1.2.3.4=critical,DER:0500" $later 0A02
list no-mid root - $later 0B01
list older next-ca - $later
list older-part next-ca "issuingDistributionPoint=critical,@part" $later
from=20260102000000Z
list newer next-ca - $later 0A02
list newer-part next-ca "issuingDistributionPoint=critical,@part" $later 0A02
openssl crl -in revoked.crl -outform DER -out revoked.der
rm ./*.key
