package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.fleet.Worker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Both ends of a conversation in one process, over two pipes. */
final class Conversation implements RemoteWorker.Link {

    final Pipe questions;
    final Pipe answers;
    final AtomicInteger lost = new AtomicInteger();
    final RemoteWorker remoteWorker;
    final Thread worker;
    String lastWords = "";

    Conversation(String name, Duration limit, Function<Assignment, ? extends Worker> factory) throws IOException {
        questions = Pipe.open();
        answers = Pipe.open();
        remoteWorker = new RemoteWorker(
                name,
                new LineChannel(answersIn(), Channels.newOutputStream(questions.sink()), Json.MOST_LINE_BYTES),
                limit,
                this);
        WorkerLoop loop = new WorkerLoop(
                Channels.newInputStream(questions.source()),
                Channels.newOutputStream(answers.sink()),
                factory,
                () -> LoadDivisionTest.machine(20_000, 2),
                lost::incrementAndGet);
        worker = new Thread(
                () -> {
                    loop.run();
                    closeQuietly(answers.sink());
                },
                name);
        worker.setDaemon(true);
        worker.start();
    }

    WorkerReply prepare(Assignment assignment, Duration limit) {
        return remoteWorker.answered(remoteWorker.prepare(assignment, limit));
    }

    WorkerReply ask(WorkerRequest request) {
        return remoteWorker.answered(remoteWorker.ask(request));
    }

    private InputStream answersIn() {
        return Channels.newInputStream(answers.source());
    }

    OutputStream answersRaw() {
        return Channels.newOutputStream(answers.sink());
    }

    OutputStream raw() {
        return Channels.newOutputStream(questions.sink());
    }

    private static void closeQuietly(java.nio.channels.Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Override
    public void cut() {
        closeQuietly(questions.sink());
        closeQuietly(answers.source());
    }

    @Override
    public String lastWords() {
        return lastWords;
    }
}
