package io.heartwheel.auth.jwt;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import io.heartwheel.auth.AuthResult;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** CPU of one token: read and verified, read alone, and known from before. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class JwtBenchmark {
    private static final String CLAIMS = "{\"iss\":\"https://issuer.example\",\"aud\":\"fleet\",\"sub\":\"meter-0815\","
            + "\"iat\":1800000000,\"exp\":1800003600,\"groups\":[\"a\",\"b\",\"c\"]}";
    private static final byte[] SECRET = "a-shared-secret-of-more-than-32-bytes".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DEVICE = "meter-0815".getBytes(StandardCharsets.US_ASCII);

    /** How it is signed. */
    @Param({"ES256", "RS256", "EDDSA", "HS256"})
    public JwtAlgorithm algorithm;

    private final VerifiedTokens known = new VerifiedTokens(65_536);
    private byte[] token;
    private KeySet keys;

    /** Makes a key and a token. */
    @Setup
    public void make() throws Exception {
        String signed = base64("{\"alg\":\"" + algorithm.label() + "\"}") + "." + base64(CLAIMS);
        byte[] input = signed.getBytes(StandardCharsets.US_ASCII);
        token = (signed + "." + sign(input)).getBytes(StandardCharsets.US_ASCII);
        known.put(known.hash(keys, DEVICE, token), new AuthResult.Admitted(null, Long.MAX_VALUE), 0);
        if (!readAndVerify()) {
            throw new IllegalStateException(algorithm + ": not verified");
        }
    }

    private String sign(byte[] input) throws Exception {
        return switch (algorithm) {
            case HS256 -> {
                keys = SecretsReader.read(SECRET);
                yield sign(new MACSigner(SECRET), input);
            }
            case ES256 -> {
                ECKey key = new ECKeyGenerator(Curve.P_256).generate();
                keys = read(key.toPublicJWK().toJSONString());
                yield sign(new ECDSASigner(key), input);
            }
            case RS256 -> {
                RSAKey key = new RSAKeyGenerator(2_048).generate();
                keys = read(key.toPublicJWK().toJSONString());
                yield sign(new RSASSASigner(key), input);
            }
            case EDDSA -> {
                KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
                byte[] point = Arrays.copyOfRange(pair.getPublic().getEncoded(), 12, 44);
                keys = new KeySet(List.of(new VerificationKey(null, algorithm, new Ed25519Verifier(point), point)));
                Signature signer = Signature.getInstance("Ed25519");
                signer.initSign(pair.getPrivate());
                signer.update(input);
                yield Base64URL.encode(signer.sign()).toString();
            }
        };
    }

    private String sign(JWSSigner signer, byte[] input) throws Exception {
        JWSHeader header = algorithm.header();
        return signer.sign(header, input).toString();
    }

    private KeySet read(String jwk) throws Exception {
        return new JwksReader(Set.of(algorithm))
                .read(("{\"keys\":[" + jwk + "]}").getBytes(StandardCharsets.US_ASCII), note -> {});
    }

    private static String base64(String text) {
        return Base64URL.encode(text).toString();
    }

    /** What a worker does. */
    @Benchmark
    public boolean readAndVerify() throws Exception {
        CompactToken read = CompactToken.parse(token, Set.of(algorithm));
        return keys.find(null, algorithm).get(0).verifies(read);
    }

    /** The part of it before the signature. */
    @Benchmark
    public Object readOnly() throws Exception {
        return CompactToken.parse(token, Set.of(algorithm));
    }

    /** What the caller's thread does for a token that was verified before. */
    @Benchmark
    public Object known() {
        return known.find(known.hash(keys, DEVICE, token), 0);
    }
}
