package dev.baton.runner;

import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;

@QuarkusMain
public final class RunnerMain implements QuarkusApplication {
  @Override
  public int run(String... args) {
    return 0;
  }
}
