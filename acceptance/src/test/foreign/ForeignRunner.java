// A runner that uses only Baton's events reference: a Kafka producer and strings.
// Usage: java -cp KAFKA_CLIENTS_AND_DEPENDENCIES ForeignRunner.java BOOTSTRAP RUN_ID complete|die java|crc32
// With crc32 it chooses partitions for a key as librdkafka does by default, and everything based on it.

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Properties;
import java.util.zip.CRC32;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class ForeignRunner {
  static KafkaProducer<String, byte[]> kafka;
  static String run;
  static boolean crc32;

  public static void main(String[] args) throws Exception {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", args[0]);
    properties.put("acks", "all");
    kafka = new KafkaProducer<>(properties, new StringSerializer(), new ByteArraySerializer());
    run = args[1];
    crc32 = args[3].equals("crc32");
    send("baton.trace", run + "/c/1", "run_created",
        "{\"schema\":1,\"kind\":\"external\",\"project\":\"default\",\"workflow\":\"foreign\",\"labels\":{\"by\":\"hand\"},"
            + "\"input\":{\"value\":{\"n\":7}},\"created_at\":\"" + Instant.now() + "\"}");
    send("baton.trace", run + "/1/1", "runner_started", "{\"schema\":1,\"runner\":\"foreign-1\",\"pid\":1,\"host\":\"elsewhere\"}");
    heartbeat();
    send("baton.trace", run + "/1/2", "step_started", "{\"schema\":1,\"step\":\"think\",\"kind\":\"agent\"}");
    send("baton.trace", run + "/1/3", "step_completed",
        "{\"schema\":1,\"step\":\"think\",\"kind\":\"agent\",\"output\":{\"value\":{\"answer\":42}},\"next\":[\"act\"],\"favourite_colour\":\"green\"}");
    heartbeat();
    send("baton.trace", run + "/1/4", "step_started", "{\"schema\":1,\"step\":\"act\",\"kind\":\"shell\"}");
    if (args[2].equals("complete")) {
      send("baton.trace", run + "/1/5", "step_completed", "{\"schema\":1,\"step\":\"act\",\"kind\":\"shell\",\"output\":{\"value\":\"done\"}}");
      send("baton.trace", run + "/1/6", "run_completed", "{\"schema\":1,\"output\":{\"value\":\"done\"}}");
    }
    kafka.close();
    System.out.println("sent");
  }

  static void heartbeat() throws Exception {
    send("baton.heartbeats", java.util.UUID.randomUUID().toString(), "heartbeat",
        "{\"run\":\"" + run + "\",\"epoch\":1,\"runner\":\"foreign-1\",\"state\":\"running\",\"interval_ms\":500,\"timeout_ms\":1500}");
  }

  static void send(String topic, String id, String event, String data) throws Exception {
    ProducerRecord<String, byte[]> record = new ProducerRecord<>(topic, partition(topic), run, bytes(data));
    record.headers().add("ce_specversion", bytes("1.0"));
    record.headers().add("ce_id", bytes(id));
    record.headers().add("ce_source", bytes("/foreign/runner"));
    record.headers().add("ce_type", bytes("dev.baton." + event));
    record.headers().add("ce_subject", bytes(run));
    record.headers().add("ce_time", bytes(Instant.now().toString()));
    record.headers().add("content-type", bytes("application/json"));
    kafka.send(record).get();
  }

  static Integer partition(String topic) {
    if (!crc32) {
      return null;
    }
    CRC32 sum = new CRC32();
    sum.update(bytes(run));
    return (int) (sum.getValue() % kafka.partitionsFor(topic).size());
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
