package io.heartwheel.transport.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;

/** A client of the JDK and an engine of a listener that talk in memory. */
final class Handshake implements AutoCloseable {
    private static final int STEPS = 50;

    private final SSLEngine client;
    private final SSLEngine server;
    private final ByteBuffer toServer = ByteBuffer.allocate(1 << 17);
    private final ByteBuffer toClient = ByteBuffer.allocate(1 << 17);
    private int clientHeard;
    private int serverHeard;

    Handshake(SSLEngine client, TlsListener listener) {
        this.client = client;
        server = listener.newHandler(ByteBufAllocator.DEFAULT).engine();
    }

    /** A client without a certificate, which names this host, of these versions. */
    static Handshake with(TlsListener listener, String host, String... versions) throws Exception {
        return new Handshake(engine(client(null), host, versions), listener);
    }

    /** A client that trusts the fixtures' authority, and shows the certificate of this name; none for null. */
    static SSLContext client(String shown) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("ca", Fixtures.x509("ca.pem"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        KeyManager[] keys = shown == null ? null : new KeyManager[] {new Insistent(credential(shown))};
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, trust.getTrustManagers(), null);
        return context;
    }

    private static Credential credential(String name) {
        CertificateFiles files = Fixtures.certificate(name);
        return Credential.of(files, new TlsFiles(Fixtures.settings(TlsSettings.Provider.JDK, files)));
    }

    /** Shows its certificate whoever the server believes; the JDK's would show none to who does not believe it. */
    private static final class Insistent extends X509ExtendedKeyManager {
        private final Credential own;

        Insistent(Credential own) {
            this.own = own;
        }

        @Override
        public String chooseEngineClientAlias(String[] keyTypes, Principal[] issuers, SSLEngine engine) {
            return "own";
        }

        @Override
        public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
            return "own";
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return own.chainArray();
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return own.key();
        }

        @Override
        public String[] getClientAliases(String keyType, Principal[] issuers) {
            return new String[] {"own"};
        }

        @Override
        public String[] getServerAliases(String keyType, Principal[] issuers) {
            return null;
        }

        @Override
        public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
            return null;
        }
    }

    /** A client's engine that names a host, if it is not empty. */
    static SSLEngine engine(SSLContext context, String host, String... protocols) {
        SSLEngine engine = context.createSSLEngine("gateway", 7070);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setServerNames(host.isEmpty() ? List.of() : List.of(new SNIHostName(host)));
        if (protocols.length > 0) {
            parameters.setProtocols(protocols);
        }
        engine.setSSLParameters(parameters);
        return engine;
    }

    /**
     * Shakes hands, and says a word in both directions.
     *
     * @throws SSLException as either side has it
     */
    Handshake run() throws SSLException {
        client.beginHandshake();
        server.beginHandshake();
        for (int i = 0; i < STEPS && !(isDone(client) && isDone(server) && i > 10); i++) {
            wrap(client, toServer);
            serverHeard += unwrap(server, toServer);
            wrap(server, toClient);
            clientHeard += unwrap(client, toClient);
        }
        return this;
    }

    /** A byte there and back. */
    void exchange() throws SSLException {
        int client0 = clientHeard;
        int server0 = serverHeard;
        say(client, toServer);
        serverHeard += unwrap(server, toServer);
        say(server, toClient);
        clientHeard += unwrap(client, toClient);
        if (serverHeard != server0 + 1 || clientHeard != client0 + 1) {
            throw new SSLException("not heard");
        }
    }

    private static void say(SSLEngine engine, ByteBuffer out) throws SSLException {
        engine.wrap(ByteBuffer.wrap(new byte[] {1}), out);
    }

    private static boolean isDone(SSLEngine engine) {
        return engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
    }

    private static void wrap(SSLEngine engine, ByteBuffer out) throws SSLException {
        runTasks(engine);
        while (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
            SSLEngineResult result = engine.wrap(ByteBuffer.allocate(0), out);
            runTasks(engine);
            if (result.bytesProduced() == 0) {
                return;
            }
        }
    }

    private static int unwrap(SSLEngine engine, ByteBuffer in) throws SSLException {
        ByteBuffer plain = ByteBuffer.allocate(1 << 16);
        in.flip();
        SSLEngineResult result;
        do {
            result = engine.unwrap(in, plain);
            runTasks(engine);
        } while (result.bytesConsumed() > 0 || result.getHandshakeStatus() == HandshakeStatus.NEED_TASK);
        in.compact();
        return plain.position();
    }

    private static void runTasks(SSLEngine engine) {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    /** The certificate that was shown. */
    String shown() throws SSLException {
        return ((X509Certificate) client.getSession().getPeerCertificates()[0])
                .getSubjectX500Principal()
                .getName();
    }

    /** The OCSP answers that came with it. */
    List<byte[]> stapled() {
        return ((ExtendedSSLSession) client.getSession()).getStatusResponses();
    }

    SSLEngine client() {
        return client;
    }

    SSLEngine server() {
        return server;
    }

    @Override
    public void close() {
        client.closeOutbound();
        server.closeOutbound();
        ReferenceCountUtil.release(server);
    }
}
