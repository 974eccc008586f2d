package io.heartwheel.loadgen.fake;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Two certificates that signed themselves, made by the JDK's keytool, as PEM: {@code server}, of localhost, and {@code device}. */
public final class Certificates {

    private static final String PASSWORD = "heartwheel";

    private final Path directory;

    /** Makes them in an empty directory. */
    public Certificates(Path directory) throws Exception {
        this.directory = directory;
        make("server", "-ext", "san=ip:127.0.0.1,dns:localhost");
        make("device");
    }

    /** The server's side of certificates that nobody trusts; leaves no file. */
    public static SslContext ofServer() throws Exception {
        Path directory = Files.createTempDirectory("certificates-");
        try {
            return new Certificates(directory).server(false);
        } finally {
            for (File file : Objects.requireNonNull(directory.toFile().listFiles())) {
                Files.delete(file.toPath());
            }
            Files.delete(directory);
        }
    }

    private void make(String name, String... more) throws Exception {
        Path store = directory.resolve(name + ".p12");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-keystore",
                store.toString()));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD, "-alias", name, "-dname", "CN=" + name));
        command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1", "-validity", "3"));
        command.addAll(List.of(more));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
            throw new AssertionError("keytool " + name + ": " + said);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        pem(certificate(name), "CERTIFICATE", keys.getCertificate(name).getEncoded());
        pem(key(name), "PRIVATE KEY", keys.getKey(name, PASSWORD.toCharArray()).getEncoded());
    }

    private static void pem(Path file, String kind, byte[] content) throws Exception {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN " + kind + "-----\n" + lines + "\n-----END " + kind + "-----\n");
    }

    /** Its certificate. */
    public Path certificate(String name) {
        return directory.resolve(name + ".crt");
    }

    /** Its private key. */
    public Path key(String name) {
        return directory.resolve(name + ".key");
    }

    /** The server's side, which lets in who shows the device's certificate, or anybody. */
    public SslContext server(boolean asksForTheDevice) throws Exception {
        return SslContextBuilder.forServer(
                        certificate("server").toFile(), key("server").toFile())
                .sslProvider(SslProvider.JDK)
                .trustManager(certificate("device").toFile())
                .clientAuth(asksForTheDevice ? ClientAuth.REQUIRE : ClientAuth.NONE)
                .build();
    }
}
