package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.workers.MachineLimits;
import io.heartwheel.loadgen.workers.WorkerLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;

/**
 * Command of a worker: runs its part of a scenario for the process that started it, here or on another machine, asked over standard
 * input, and leaves when that ends.
 */
@Command(
        name = WorkerCommand.NAME,
        mixinStandardHelpOptions = true,
        description =
                "Plays devices on this machine for a run that starts it, with run --agent: asked over standard input,"
                        + " and gone when that ends.")
final class WorkerCommand implements Callable<Integer> {

    /** The command's name. */
    static final String NAME = "worker";

    /** How long a worker may take to close when nobody waits for it any more. */
    private static final long GOODBYE_SECONDS = 15;

    /** Where a worker begins that is not started from a jar. */
    public static void main(String[] arguments) {
        System.exit(new WorkerCommand().call());
    }

    @Override
    public Integer call() {
        InputStream in = new FileInputStream(FileDescriptor.in);
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        // Standard output is the conversation: whatever a library prints must not get into it.
        System.setOut(System.err);
        new WorkerLoop(in, out, WorkerPlan::local, MachineLimits::ofThisMachine, WorkerCommand::leaveSoon).run();
        return 0;
    }

    /** The coordinator is gone: this process ends, in good order or else by force. */
    private static void leaveSoon() {
        new DefaultThreadFactory("leave-soon", true)
                .newThread(() -> {
                    try {
                        TimeUnit.SECONDS.sleep(GOODBYE_SECONDS);
                    } catch (InterruptedException e) {
                        // Nobody interrupts it; if somebody does, it is time as well.
                    }
                    Runtime.getRuntime().halt(3);
                })
                .start();
    }
}
