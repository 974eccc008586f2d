package io.heartwheel.auth.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.net.IpAddress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Body of a request: what is known of a device, as JSON. Any thread. */
final class HookRequest {
    private static final JsonFactory JSON = new JsonFactory();
    /** Kinds of names in a certificate (RFC 5280, 4.2.1.6), as they are written before a name. */
    private static final Map<Integer, String> NAME_KINDS = Map.of(1, "email:", 2, "DNS:", 6, "URI:", 7, "IP:");

    private HookRequest() {}

    /** The body. It holds the token. */
    static byte[] encode(AuthRequest request) {
        ByteArrayOutputStream body = new ByteArrayOutputStream(512);
        try (JsonGenerator json = JSON.createGenerator(body)) {
            json.writeStartObject();
            json.writeStringField("device_id", request.deviceName());
            json.writeStringField("token", new String(request.token(), StandardCharsets.UTF_8));
            json.writeFieldName("address");
            if (request.address().length == 0) {
                json.writeNull();
            } else {
                json.writeString(IpAddress.text(request.address()));
            }
            json.writeStringField("listener", request.listener());
            json.writeStringField("protocol", request.protocol());
            json.writeStringField("client_name", request.clientName());
            json.writeNumberField("wanted_interval_ms", request.wantedMillis());
            json.writeFieldName("certificate");
            writeCertificate(request.certificates(), json);
            json.writeBooleanField("renewal", request.renewal());
            json.writeEndObject();
        } catch (IOException e) {
            throw new IllegalStateException("no file is involved", e);
        }
        return body.toByteArray();
    }

    private static void writeCertificate(List<X509Certificate> chain, JsonGenerator json) throws IOException {
        if (chain.isEmpty()) {
            json.writeNull();
            return;
        }
        X509Certificate own = chain.get(0);
        json.writeStartObject();
        json.writeStringField("subject", own.getSubjectX500Principal().getName());
        json.writeArrayFieldStart("san");
        for (String name : alternativeNames(own)) {
            json.writeString(name);
        }
        json.writeEndArray();
        json.writeStringField("sha256", sha256(own));
        json.writeNumberField("not_after", own.getNotAfter().getTime() / 1_000);
        json.writeEndObject();
    }

    /** Those of a form that is text; none if they cannot be read. */
    private static List<String> alternativeNames(X509Certificate own) {
        try {
            Collection<List<?>> names =
                    Optional.ofNullable(own.getSubjectAlternativeNames()).orElse(List.of());
            return names.stream()
                    .filter(name -> name.size() > 1 && NAME_KINDS.containsKey(name.get(0)))
                    .filter(name -> name.get(1) instanceof String)
                    .map(name -> NAME_KINDS.get(name.get(0)) + name.get(1))
                    .toList();
        } catch (CertificateParsingException e) {
            return List.of();
        }
    }

    private static String sha256(X509Certificate own) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(own.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256, and a certificate that was read has its bytes", e);
        }
    }
}
