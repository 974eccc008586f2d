package io.heartwheel.outlet;

import io.heartwheel.outlet.file.FileOutlet;
import io.heartwheel.outlet.kafka.KafkaOutlet;
import io.heartwheel.outlet.kafka.KafkaSettings;
import io.heartwheel.outlet.webhook.WebhookOutlet;
import java.io.IOException;

/** Factory of outlets by their settings. Any thread; opens files. */
final class OutletFactory {
    private OutletFactory() {}

    /** @throws IOException if a file cannot be opened or read */
    static Outlet open(OutletSettings.Target target, CloudEvent form) throws IOException {
        if (target instanceof OutletSettings.ToFile file) {
            return new FileOutlet(file, System::currentTimeMillis, System::nanoTime);
        }
        if (target instanceof OutletSettings.Webhook webhook) {
            return WebhookOutlet.open(webhook, form, System::currentTimeMillis);
        }
        if (target instanceof OutletSettings.Kafka kafka) {
            return kafka(kafka, form);
        }
        return new ConsoleOutlet();
    }

    private static Outlet kafka(OutletSettings.Kafka kafka, CloudEvent form) throws IOException {
        try {
            return new KafkaOutlet(
                    new KafkaSettings(kafka.bootstrap(), kafka.topic(), kafka.propertiesFile(), kafka.timeout()), form);
        } catch (IllegalArgumentException e) {
            throw new IOException("kafka: " + e.getMessage(), e);
        }
    }
}
