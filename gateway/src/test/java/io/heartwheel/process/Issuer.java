package io.heartwheel.process;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Date;

/** An issuer of tokens, whose public key stands in a file. */
final class Issuer {
    private static final String NAME = "https://issuer.example";
    private static final String AUDIENCE = "fleet";

    private final ECKey key = new ECKeyGenerator(Curve.P_256).keyID("key-1").generate();
    private final Path keys;

    Issuer(Path directory) throws Exception {
        keys = Files.writeString(directory.resolve("keys.json"), new JWKSet(key).toString(true));
    }

    /** A gateway that trusts it. */
    GatewaySetup trustedBy(GatewaySetup gateway) throws IOException {
        return gateway.set("auth.jwt.keys-file", keys.toString())
                .set("auth.jwt.issuer", NAME, "auth.jwt.audience", AUDIENCE, "auth.jwt.groups-claim", "groups");
    }

    String token(String device, Instant expiry) throws Exception {
        JWTClaimsSet claims = new JWTClaimsSet.Builder()
                .issuer(NAME)
                .audience(AUDIENCE)
                .subject(device)
                .expirationTime(Date.from(expiry))
                .claim("groups", "meters site-7")
                .build();
        JWSHeader header =
                new JWSHeader.Builder(JWSAlgorithm.ES256).keyID(key.getKeyID()).build();
        SignedJWT token = new SignedJWT(header, claims);
        token.sign(new ECDSASigner(key));
        return token.serialize();
    }
}
