package io.heartwheel.loadgen.workers;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The coordinator's end of a connection to an agent. Any thread. */
final class AgentLink implements RemoteWorker.Link {

    private final Socket socket;

    private AgentLink(Socket socket) {
        this.socket = socket;
    }

    /**
     * Connects and proves the token, both ways; 5 s for each.
     *
     * @param limit how long the agent may take to answer a question
     * @throws IOException naming the agent
     */
    static RemoteWorker open(InetSocketAddress address, Token token, Duration limit) throws IOException {
        String name = "agent " + address.getHostString() + ":" + address.getPort();
        Socket socket = new Socket();
        try {
            socket.connect(address, AgentServer.HANDSHAKE_MILLIS);
            socket.setTcpNoDelay(true);
            LineChannel lines =
                    new LineChannel(socket.getInputStream(), socket.getOutputStream(), TokenHandshake.MOST_LINE_BYTES);
            AgentLink link = new AgentLink(socket);
            link.introduce(new TokenHandshake(lines, token));
            lines.limit(Json.MOST_LINE_BYTES);
            return new RemoteWorker(name, lines, limit, link);
        } catch (IOException e) {
            socket.close();
            throw new IOException(name + ": " + e.getMessage(), e);
        }
    }

    private void introduce(TokenHandshake handshake) throws IOException {
        CompletableFuture<Void> done = new CompletableFuture<>();
        done.orTimeout(AgentServer.HANDSHAKE_MILLIS, TimeUnit.MILLISECONDS).whenComplete((nothing, late) -> {
            if (late != null) {
                cut();
            }
        });
        try {
            handshake.introduce();
        } finally {
            done.complete(null);
        }
    }

    @Override
    public void cut() {
        try {
            socket.close();
        } catch (IOException e) {
            // There is nothing left of it to be cut.
        }
    }

    @Override
    public void close() {
        cut();
    }

    @Override
    public String lastWords() {
        return "";
    }

    @Override
    public OptionalLong pid() {
        return OptionalLong.empty();
    }
}
