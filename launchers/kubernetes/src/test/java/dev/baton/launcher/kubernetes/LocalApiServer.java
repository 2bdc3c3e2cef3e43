/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodListBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of an API server that the launcher uses, over HTTP on loopback, with answers that a
 * cluster gives rarely. Its pods have the states that a test gives them. Thread-safe.
 */
final class LocalApiServer implements AutoCloseable {
  private static final String END = "";
  private static final Pattern RESOURCE_VERSION = Pattern.compile("resourceVersion=(\\d+)");

  /**
   * An accepted deletion.
   *
   * @param grace in seconds; -1 for that of the pod
   * @param phase of the pod, in Kubernetes' word
   */
  record Deletion(long grace, String phase) {}

  /** A line of a watch, and the version of the pods with it. */
  private record Event(long version, String line) {}

  /** An answer instead of the usual one. */
  private record Refusal(String method, int code, String reason, String message) {}

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Pod> pods = new LinkedHashMap<>();
  private final Map<String, Secret> secrets = new LinkedHashMap<>();
  private final Deque<Refusal> refusals = new ArrayDeque<>();
  private final List<BlockingQueue<String>> watches = new CopyOnWriteArrayList<>();
  private final List<Event> events = new ArrayList<>();
  private final List<Deletion> deletions = new ArrayList<>();
  private long version = 1;
  private int requests;
  private int opened;

  LocalApiServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  /** Writes a kubeconfig for it. */
  Path kubeconfig(Path folder) throws IOException {
    return Files.writeString(
        folder.resolve("kubeconfig-" + server.getAddress().getPort()),
        """
        apiVersion: v1
        kind: Config
        current-context: local
        clusters: [{name: local, cluster: {server: "http://127.0.0.1:%d"}}]
        users: [{name: me, user: {token: t}}]
        contexts: [{name: local, context: {cluster: local, user: me, namespace: runs}}]
        """
            .formatted(server.getAddress().getPort()));
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      String path = exchange.getRequestURI().getPath();
      String query = String.valueOf(exchange.getRequestURI().getQuery());
      if (query.contains("watch=true")) {
        watch(exchange, versionOf(query));
        return;
      }
      Answer answer = answer(exchange.getRequestMethod(), path, body);
      byte[] bytes = answer.body().getBytes(UTF_8);
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(answer.code(), bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  /** Returns the version after which a watch starts. */
  private static long versionOf(String query) {
    Matcher version = RESOURCE_VERSION.matcher(query);
    if (!version.find()) {
      throw new IllegalArgumentException("a watch without a resource version: " + query);
    }
    return Long.parseLong(version.group(1));
  }

  private record Answer(int code, String body) {}

  private synchronized Answer answer(String method, String path, String body) {
    requests++;
    Refusal refusal = refusals.peek();
    if (refusal != null && refusal.method().equals(method)) {
      refusals.remove();
      return status(refusal.code(), refusal.reason(), refusal.message());
    }
    String name = path.replaceFirst("^/api/v1/namespaces/runs/(pods|secrets)/?", "");
    if (path.contains("/secrets")) {
      Secret secret = Serialization.unmarshal(body, Secret.class);
      Secret before = secrets.putIfAbsent(secret.getMetadata().getName(), secret);
      return before == null ? new Answer(201, body) : status(409, "AlreadyExists", "it exists");
    }
    if (name.endsWith("/log")) {
      return new Answer(200, "output of " + name);
    }
    return switch (method) {
      case "POST" -> create(Serialization.unmarshal(body, Pod.class));
      case "DELETE" -> delete(name, Serialization.unmarshal(body, DeleteOptions.class));
      default -> name.isEmpty() ? list() : get(name);
    };
  }

  private static Answer status(int code, String reason, String message) {
    return new Answer(
        code,
        Serialization.asJson(
            new StatusBuilder()
                .withStatus("Failure")
                .withCode(code)
                .withReason(reason)
                .withMessage(message)
                .build()));
  }

  private Answer create(Pod pod) {
    String name = pod.getMetadata().getName();
    if (pods.containsKey(name)) {
      return status(409, "AlreadyExists", "pods \"" + name + "\" already exists");
    }
    Pod created =
        new PodBuilder(pod)
            .editMetadata()
            .withUid(UUID.randomUUID().toString())
            .withCreationTimestamp(Instant.now().toString())
            .endMetadata()
            .withStatus(new PodStatusBuilder().withPhase("Pending").build())
            .build();
    return new Answer(201, Serialization.asJson(store("ADDED", created)));
  }

  private Pod store(String event, Pod pod) {
    Pod now = send(event, pod);
    pods.put(pod.getMetadata().getName(), now);
    return now;
  }

  /** Returns the pod with its new version. */
  private Pod send(String event, Pod pod) {
    Pod now =
        new PodBuilder(pod)
            .editMetadata()
            .withResourceVersion(Long.toString(++version))
            .endMetadata()
            .build();
    String line = "{\"type\":\"" + event + "\",\"object\":" + Serialization.asJson(now) + "}\n";
    events.add(new Event(version, line));
    watches.forEach(watch -> watch.add(line));
    return now;
  }

  private Answer delete(String name, DeleteOptions options) {
    Pod pod = pods.get(name);
    if (pod == null) {
      return status(404, "NotFound", "pods \"" + name + "\" not found");
    }
    if (!pod.getMetadata().getUid().equals(options.getPreconditions().getUid())) {
      return status(409, "Conflict", "the UID in the precondition does not match");
    }
    String seen = options.getPreconditions().getResourceVersion();
    if (seen != null && !seen.equals(pod.getMetadata().getResourceVersion())) {
      return status(409, "Conflict", "the ResourceVersion in the precondition does not match");
    }
    Long grace = options.getGracePeriodSeconds();
    deletions.add(new Deletion(grace == null ? -1 : grace, pod.getStatus().getPhase()));
    if (pod.getSpec().getNodeName() != null && (grace == null || grace > 0)) {
      return new Answer(200, Serialization.asJson(store("MODIFIED", deleting(pod, Instant.now()))));
    }
    send("DELETED", Objects.requireNonNull(pods.remove(name), name));
    return status(200, "", "deleted");
  }

  private static Pod deleting(Pod pod, Instant when) {
    return new PodBuilder(pod)
        .editMetadata()
        .withDeletionTimestamp(when.toString())
        .endMetadata()
        .build();
  }

  private Answer get(String name) {
    Pod pod = pods.get(name);
    return pod == null
        ? status(404, "NotFound", "pods \"" + name + "\" not found")
        : new Answer(200, Serialization.asJson(pod));
  }

  private Answer list() {
    return new Answer(
        200,
        Serialization.asJson(
            new PodListBuilder()
                .withNewMetadata()
                .withResourceVersion(Long.toString(version))
                .endMetadata()
                .withItems(List.copyOf(pods.values()))
                .build()));
  }

  /** Sends the events after this version, and later ones until the watch ends. */
  private void watch(HttpExchange exchange, long after) throws IOException {
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    synchronized (this) {
      events.stream().filter(event -> event.version() > after).forEach(e -> lines.add(e.line()));
      watches.add(lines);
      opened++;
    }
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream output = exchange.getResponseBody()) {
      output.flush();
      for (String line = lines.take(); !line.equals(END); line = lines.take()) {
        output.write(line.getBytes(UTF_8));
        output.flush();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      watches.remove(lines);
    }
  }

  /** Gives the next requests of this method another answer. */
  synchronized void refuse(String method, int code, String reason, String message, int times) {
    for (int i = 0; i < times; i++) {
      refusals.add(new Refusal(method, code, reason, message));
    }
  }

  synchronized void change(String name, UnaryOperator<Pod> change) {
    store("MODIFIED", change.apply(Objects.requireNonNull(pods.get(name), name)));
  }

  /** The pod gets a node, and a kubelet reports this. */
  void report(String name, PodStatus status) {
    change(
        name,
        pod ->
            new PodBuilder(pod).editSpec().withNodeName("n").endSpec().withStatus(status).build());
  }

  /** A deletion whose grace has ended at this time. */
  void deleteLater(String name, Instant when) {
    change(name, pod -> deleting(pod, when));
  }

  synchronized void delete(String name) {
    send("DELETED", Objects.requireNonNull(pods.remove(name), name));
  }

  /** Removes a pod without an event. */
  synchronized void lose(String name) {
    pods.remove(name);
  }

  /** Ends all watches: each reads that its version is too old. */
  void expireWatches() {
    String gone =
        "{\"type\":\"ERROR\",\"object\":" + status(410, "Expired", "too old").body() + "}\n";
    watches.forEach(
        watch -> {
          watch.add(gone);
          watch.add(END);
        });
  }

  int watches() {
    return watches.size();
  }

  synchronized Pod pod(String name) {
    return Objects.requireNonNull(pods.get(name));
  }

  synchronized List<String> names() {
    return List.copyOf(pods.keySet());
  }

  synchronized List<Secret> secrets() {
    return List.copyOf(secrets.values());
  }

  synchronized String uid(String name) {
    return Objects.requireNonNull(pods.get(name), name).getMetadata().getUid();
  }

  synchronized List<Deletion> deletions() {
    return List.copyOf(deletions);
  }

  /** The number of watches that were opened, ended ones included. */
  synchronized int opened() {
    return opened;
  }

  synchronized int requests() {
    return requests;
  }

  @Override
  public void close() {
    watches.forEach(watch -> watch.add(END));
    server.stop(0);
    threads.shutdownNow();
  }
}
