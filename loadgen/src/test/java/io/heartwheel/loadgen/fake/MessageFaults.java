package io.heartwheel.loadgen.fake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;

/** Echoes of one connection of a fake server: nearly always the message itself. On its event loop. */
final class MessageFaults {

    /** The message of a connection that something happens to. */
    private static final int UNLUCKY = 3;

    private final Fault fault;
    private int messages;
    private ByteBuf held;

    MessageFaults(Fault fault) {
        this.fault = fault;
    }

    /** Whether the message echoed last was the unlucky one. */
    boolean unlucky() {
        return messages == UNLUCKY;
    }

    /** Copies of what is sent back, in that order. */
    List<ByteBuf> echoes(ByteBuf payload) {
        return echoes(payload, 0);
    }

    /** The same of a message of which so many bytes in front are its id. */
    List<ByteBuf> echoes(ByteBuf message, int idBytes) {
        messages++;
        if (fault == Fault.SWALLOWS_AND_SENDS_AWAY) {
            return List.of();
        }
        ByteBuf before = held;
        held = null;
        if (before != null) {
            return List.of(Unpooled.copiedBuffer(message), before);
        }
        return unlucky() ? wrong(Unpooled.copiedBuffer(message), idBytes) : List.of(Unpooled.copiedBuffer(message));
    }

    private List<ByteBuf> wrong(ByteBuf back, int idBytes) {
        int last = back.writerIndex() - 1;
        switch (fault) {
            case LOSES_A_MESSAGE -> {
                return List.of();
            }
            case DISORDERS_A_MESSAGE -> {
                held = back;
                return List.of();
            }
            case DOUBLES_A_MESSAGE -> {
                return List.of(back, Unpooled.copiedBuffer(back));
            }
            case FLIPS_A_BIT -> back.setByte(last, back.getByte(last) ^ 0x10);
            case REPLACES_A_MESSAGE -> back.setZero(back.readerIndex() + idBytes, back.readableBytes() - idBytes);
            case TRUNCATES_A_MESSAGE -> back.writerIndex(last);
            case EXTENDS_A_MESSAGE -> {
                return List.of(Unpooled.wrappedBuffer(back, Unpooled.wrappedBuffer(new byte[1])));
            }
            default -> {
                // something else is wrong with this server
            }
        }
        return List.of(back);
    }
}
