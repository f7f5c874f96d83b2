/* usage: plugin_host PLUGIN: opens, calls and closes it, twice; exits with what it answered. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int answer = argc > 1 ? 0 : 99;
    for (int i = 0; i < 2 && !answer; i++) {
        void *plugin = dlopen(argv[1], RTLD_NOW);
        if (!plugin) return fprintf(stderr, "%s\n", dlerror()), 98;
        union { void *at; int (*call)(void); } found = {dlsym(plugin, "plugin")};
        answer = found.call();
        dlclose(plugin);
    }
    return answer;
}
