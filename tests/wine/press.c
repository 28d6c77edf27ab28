/*
 * What a person does: key A is pressed, held until it repeats, let go; each
 * button of the mouse is clicked; then the mouse moves.
 */
#include <windows.h>

static void key(WORD code, DWORD flags)
{
    INPUT in = { .type = INPUT_KEYBOARD,
                 .ki = { .wVk = code, .dwFlags = flags } };

    SendInput(1, &in, sizeof in);
}

static void mouse(DWORD flags, LONG x)
{
    INPUT in = { .type = INPUT_MOUSE, .mi = { .dx = x, .dwFlags = flags } };

    SendInput(1, &in, sizeof in);
}

int main(void)
{
    static const DWORD buttons[][2] = {
        { MOUSEEVENTF_LEFTDOWN, MOUSEEVENTF_LEFTUP },
        { MOUSEEVENTF_MIDDLEDOWN, MOUSEEVENTF_MIDDLEUP },
        { MOUSEEVENTF_RIGHTDOWN, MOUSEEVENTF_RIGHTUP },
    };

    key('A', 0);
    key('A', 0);
    key('A', 0);
    key('A', KEYEVENTF_KEYUP);
    for (int i = 0; i < 3; i++) {
        mouse(buttons[i][0], 0);
        mouse(buttons[i][1], 0);
    }
    mouse(MOUSEEVENTF_MOVE, 5);
    return 0;
}
