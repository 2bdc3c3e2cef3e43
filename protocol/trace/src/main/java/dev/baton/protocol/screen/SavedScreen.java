/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.screen;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Windows, panes and scrollback of a screen, as files of an agent's home, and so of its
 * checkpoints.
 *
 * @param windows 1 to {@link #MAX_WINDOWS}, in order
 */
public record SavedScreen(List<Window> windows) {
  public static final int MAX_WINDOWS = 16;

  /** Bytes of the scrollback of one pane; of more the newest are kept. */
  public static final int MAX_PANE_BYTES = 1 << 20;

  /** Bytes of the scrollback of all panes. */
  public static final int MAX_BYTES = 4 << 20;

  /** The folder in the home. */
  private static final String FOLDER = ".baton-screen";

  private static final String DESCRIPTION = "screen.json";
  private static final int MAX_DESCRIPTION = 256 << 10;

  /**
   * @param panes as many as the layout has, in the order of their indexes
   */
  public record Window(TmuxLayout layout, boolean active, List<Pane> panes) {
    public Window {
      panes = List.copyOf(panes);
      if (panes.size() != layout.panes()) {
        throw new IllegalArgumentException(
            "a layout of %d panes has %d panes".formatted(layout.panes(), panes.size()));
      }
    }
  }

  /**
   * @param program whether the agent's program runs in it; exactly one does
   * @param scrollback with control sequences for colours
   */
  public record Pane(boolean program, boolean active, byte[] scrollback) {}

  public SavedScreen {
    windows = List.copyOf(windows);
    long programs =
        windows.stream().flatMap(window -> window.panes().stream()).filter(Pane::program).count();
    if (windows.isEmpty() || windows.size() > MAX_WINDOWS || programs != 1) {
      throw new IllegalArgumentException(
          "%d windows with %d programs; allowed: 1 to %d windows with one"
              .formatted(windows.size(), programs, MAX_WINDOWS));
    }
  }

  /** Whether a file of the home, by its path relative to it, is part of a saved screen. */
  public static boolean contains(Path relative) {
    return relative.startsWith(FOLDER);
  }

  public static boolean isIn(Path home) {
    return Files.isRegularFile(
        home.resolve(FOLDER).resolve(DESCRIPTION), LinkOption.NOFOLLOW_LINKS);
  }

  /** Replaces the screen that the home has. */
  public void write(Path home) throws IOException {
    Path folder = home.resolve(FOLDER);
    Path next = home.resolve(FOLDER + ".part");
    delete(next);
    Files.createDirectories(next);
    ObjectNode description = Json.mapper().createObjectNode().put("version", 1);
    ArrayNode list = description.putArray("windows");
    for (int w = 0; w < windows.size(); w++) {
      Window window = windows.get(w);
      ObjectNode described =
          list.addObject().put("layout", window.layout().text()).put("active", window.active());
      ArrayNode panes = described.putArray("panes");
      for (int p = 0; p < window.panes().size(); p++) {
        Pane pane = window.panes().get(p);
        Files.write(next.resolve(file(w, p)), pane.scrollback());
        panes.addObject().put("program", pane.program()).put("active", pane.active());
      }
    }
    Files.write(next.resolve(DESCRIPTION), Json.bytes(description));
    delete(folder);
    Files.move(next, folder, StandardCopyOption.ATOMIC_MOVE);
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** The number of panes of all windows. */
  public int panes() {
    return windows.stream().mapToInt(window -> window.panes().size()).sum();
  }

  private static String file(int window, int pane) {
    return "pane-%d-%d.txt".formatted(window, pane);
  }

  /**
   * Reads the screen that the home has.
   *
   * @throws IOException when a part of it is missing, malformed or beyond the bounds
   */
  public static SavedScreen read(Path home) throws IOException {
    Path folder = home.resolve(FOLDER);
    JsonNode description = Json.checkedTree(bytes(folder.resolve(DESCRIPTION), MAX_DESCRIPTION));
    if (description.path("version").asInt() != 1 || !description.path("windows").isArray()) {
      throw new IOException("its description is not of version 1");
    }
    List<Window> windows = new ArrayList<>();
    for (JsonNode window : description.path("windows")) {
      if (windows.size() == MAX_WINDOWS) {
        throw new IOException("it has more than " + MAX_WINDOWS + " windows");
      }
      windows.add(window(folder, windows.size(), window));
    }
    try {
      return new SavedScreen(windows);
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static Window window(Path folder, int index, JsonNode window) throws IOException {
    String text = window.path("layout").asText();
    TmuxLayout layout =
        TmuxLayout.parse(text)
            .orElseThrow(() -> new IOException("the layout of window " + index + " is malformed"));
    List<Pane> panes = new ArrayList<>();
    for (JsonNode pane : window.path("panes")) {
      if (panes.size() == layout.panes()) {
        throw new IOException("window " + index + " has more panes than its layout");
      }
      panes.add(
          new Pane(
              pane.path("program").asBoolean(),
              pane.path("active").asBoolean(),
              bytes(folder.resolve(file(index, panes.size())), MAX_PANE_BYTES)));
    }
    try {
      return new Window(layout, window.path("active").asBoolean(), panes);
    } catch (IllegalArgumentException e) {
      throw new IOException("window " + index + ": " + e.getMessage(), e);
    }
  }

  private static byte[] bytes(Path file, int limit) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(file.getFileName() + " is missing");
    }
    if (Files.size(file) > limit) {
      throw new IOException("%s has more than %d bytes".formatted(file.getFileName(), limit));
    }
    return Files.readAllBytes(file);
  }
}
