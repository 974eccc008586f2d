package io.heartwheel.nats;

import io.nats.client.Connection;
import io.nats.client.impl.SocketDataPort;
import java.io.IOException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * Connection of the client of NATS that looks whether the server's certificate is for the host that was asked for (RFC 2818, section 3.1): the client's own
 * believes a certificate of any host. Made by the client, from the name of this class; one thread.
 */
public final class NatsTlsPort extends SocketDataPort {
    @Override
    public void upgradeToSecure() throws IOException {
        Connection of = connection;
        SSLSocket secure =
                (SSLSocket) of.getOptions().getSslContext().getSocketFactory().createSocket(socket, host, port, true);
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
        secure.startHandshake(); // the client bounds it by its patience
        socket = secure;
        in = secure.getInputStream();
        out = secure.getOutputStream();
        isSecure = true;
    }

    /** With TLS 1.3 a server that does not like our certificate, or misses it, says so in its first record, if it is not cut off by the end of the connection. */
    @Override
    public int read(byte[] to, int from, int length) throws IOException {
        try {
            return super.read(to, from, length);
        } catch (IOException refused) {
            Connection of = connection;
            boolean byTheServer = refused instanceof SSLException || !socket.isClosed();
            if (byTheServer && of.getOptions().getErrorListener() instanceof NatsLog log) {
                log.refused(refused);
            }
            throw refused;
        }
    }
}
